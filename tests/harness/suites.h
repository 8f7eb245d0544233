/* The suites, in the order of the data; SUITE(name) stands for suite_name in one of tests/ files. */
