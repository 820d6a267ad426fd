/**
 * Leaves out tests whose names do not match `ORCH_TEST_GREP`, a regular expression, by taking the place of uvu for the test
 * files. Loaded before a test, and only where a pattern was given.
 */
import { register } from 'node:module'

register('./grep-hooks.js', import.meta.url)
