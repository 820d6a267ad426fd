import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { warningHeaders } from '../../../../runtime/server/http/warning-header.ts'

const test = suite('runtime/server: warnings')

// F-08
test('a warning escapes quotes and backslashes and stands once', () => {
  assert.equal(warningHeaders(['unknown field "a\\b"', 'unknown field "a\\b"', 'x\r\ny']), [
    '299 - "unknown field \\"a\\\\b\\""',
    '299 - "x??y"',
  ])
})

test('warnings beyond 4096 characters are cut at 256', () => {
  const headers = warningHeaders(['a'.repeat(4000), 'b'.repeat(400)])
  assert.equal(
    headers.map((one) => one.length),
    [256 + 8, 256 + 8],
  )
})

test.run()
