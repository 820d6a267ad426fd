// The headers of a trace that a server passes on to the webhooks that it asks about a request.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { HttpRequest } from '../../../../runtime/server/http/request.ts'
import { traceOf } from '../../../../runtime/server/request/trace-headers.ts'

const test = suite('runtime/server: headers of a trace')

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const rows: readonly [what: string, sent: Record<string, string>, passed: object | undefined][] = [
  ['none', { accept: 'application/json' }, undefined],
  [
    'a trace',
    { traceparent, tracestate: 'a=b', baggage: 'x=y' },
    { traceparent, tracestate: 'a=b', baggage: 'x=y' },
  ],
  ['a state without a trace', { tracestate: 'a=b' }, undefined],
  ['no trace', { traceparent: '00-xyz', tracestate: 'a=b' }, {}],
  ['much baggage', { traceparent, baggage: 'x'.repeat(8193) }, { traceparent }],
]

for (const [what, headers, passed] of rows) {
  test(`${what}: what is sent on`, () => {
    assert.equal(traceOf({ headers } as unknown as HttpRequest), passed)
  })
}

test.run()
