/* SPDX-License-Identifier: MIT
   runtime/base/result.c - the texts of results and stages.
   reads   the lists of tidepool.h      writes  nothing
   memory  constant tables              cost    O(results)
   after   X-macros: one list defines both enum and text */
#include "base.h"

const char *tp_result_text(tp_result result)
{
    switch (result) {
#define TPI_RESULT_CASE(name, value, text) \
    case name: return TPI_TEXT(text);
        TP_RESULT_LIST(TPI_RESULT_CASE)
#undef TPI_RESULT_CASE
    }
    return TPI_TEXT("not a result of this version of Tidepool");
}

const char *tp_stage_name(tp_stage stage)
{
    switch (stage) {
#define TPI_STAGE_CASE(name, text) \
    case name: return text;
        TP_STAGE_LIST(TPI_STAGE_CASE)
#undef TPI_STAGE_CASE
    case TP_STAGE_COUNT: break;
    }
    return "not a stage";
}
