/** Which headers of an answer are compared. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { comparedHeaders } from '../../../tools/compare/headers.ts'

const test = suite('tools/compare: headers')

test('an answer over HTTP/2 has the headers that it has over HTTP/1.1', () => {
  const headers = { vary: ['Accept', 'Origin'], 'audit-id': 'a', 'content-type': 'text/plain' }
  const pseudo = { ':status': 200 } as unknown as Record<string, string>
  assert.equal(comparedHeaders({ ...pseudo, ...headers }), comparedHeaders(headers))
  assert.is(comparedHeaders(headers)['audit-id'], 'present')
})

test.run()
