# SPDX-License-Identifier: MIT
# tests/style/sentences.awk - prints sentences that promise: with never, always, ignored, same or no bit.
#   reads   C headers (comments and the texts of TP_RESULT_LIST), pages (all but ```c blocks)
#   writes  one line per sentence: FILE:LINE, a tab, the sentence with single blanks
#   memory  a paragraph     cost  O(bytes)
#   after   own design; LINE is the first line of the paragraph or comment

# Prints the sentences of the collected text that contain one of the words, then empties the text.
function print_sentences(    parts, count, i)
{
    gsub(/[ \t]+/, " ", text)
    gsub(/[.!?] /, "&\n", text)
    count = split(text, parts, "\n")
    for (i = 1; i <= count; i++) {
        sub(/^ +/, "", parts[i])
        sub(/ +$/, "", parts[i])
        if (" " tolower(parts[i]) " " ~ /[^a-z_](never|always|ignored|same|no bits?)[^a-z_]/) print FILENAME ":" start "\t" parts[i]
    }
    text = ""
}

# Adds a line to the text. A new text begins at a list mark, at a table row, at a row of a list in a comment,
# and after such a list.
function add(line,    indent)
{
    match(line, /^ */)
    indent = RLENGTH
    if (line ~ /^ *([-*|#]|[0-9]+\.) /) print_sentences()
    if (!is_page && (indent == 5 || (indent == 3 && last_indent > 3))) print_sentences()
    last_indent = indent
    if (text == "") start = FNR
    text = text " " line
}

# Adds the comments of a line of C. A comment may begin or end within the line.
function add_comments(line,    at)
{
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            add(at ? substr(line, 1, at - 1) : line)
            if (!at) return
            in_comment = 0
            print_sentences()
        } else {
            at = index(line, "/*")
            if (!at) return
            in_comment = 1
        }
        line = substr(line, at + 2)
    }
}

# Adds the strings of a line of TP_RESULT_LIST; they are joined until the next item.
function add_strings(line,    pieces, count, i)
{
    if (line ~ /ITEM\(/) print_sentences()
    count = split(line, pieces, "\"")
    for (i = 2; i <= count; i += 2) {
        if (text == "") start = FNR
        text = text pieces[i]
    }
    if (line !~ /\\$/) print_sentences()
}

FNR == 1 {
    print_sentences()
    is_page = FILENAME ~ /\.md$/
    in_comment = in_list = in_code = 0
}
is_page && /^```/ {
    print_sentences()
    in_code = !in_code
    next
}
is_page && in_code { next }
is_page && (/^[ \t]*$/ || /^(    |[|#<])/) { print_sentences() }
is_page { add($0) }
!is_page && /^#define TP_RESULT_LIST/ { in_list = 1 }
!is_page && in_list {
    add_strings($0)
    in_list = /\\$/
    next
}
!is_page && in_comment && /^[ \t]*$/ { print_sentences() }
!is_page { add_comments($0) }
END { print_sentences() }
