import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { frameReader } from '../../../../runtime/server/http/websocket-frames.ts'

const tests = suite('runtime/server: frames of a websocket')

function masked(opcode: number, body: Buffer): Buffer {
  const mask = Buffer.from([9, 8, 7, 6])
  const wide = body.length > 125
  const head = Buffer.alloc(wide ? 4 : 2)
  head[0] = 0x80 | opcode
  head[1] = 0x80 | (wide ? 126 : body.length)
  if (wide) head.writeUInt16BE(body.length, 2)
  return Buffer.concat([head, mask, body.map((byte, at) => byte ^ (mask[at % 4] ?? 0))])
}

tests(
  'control frames are heard whole, in order, however they arrive and whatever stands between',
  () => {
    const frame = fc.oneof(
      fc.record({ opcode: fc.constantFrom(9, 10), body: fc.uint8Array({ maxLength: 125 }) }),
      fc.record({ opcode: fc.constantFrom(1, 2), body: fc.uint8Array({ maxLength: 400 }) }),
    )
    fc.assert(
      fc.property(fc.array(frame), fc.integer({ min: 1, max: 50 }), (frames, size) => {
        const heard: string[] = []
        const read = frameReader({
          control: (opcode, body) => heard.push(`${opcode} ${body.toString('hex')}`),
          broken: () => heard.push('broken'),
        })
        const all = Buffer.concat(
          frames.map(({ opcode, body }) => masked(opcode, Buffer.from(body))),
        )
        for (let at = 0; at < all.length; at += size) read(all.subarray(at, at + size))
        const told = frames.filter(({ opcode }) => opcode > 8)
        assert.equal(
          heard,
          told.map(({ opcode, body }) => `${opcode} ${Buffer.from(body).toString('hex')}`),
        )
      }),
    )
  },
)

tests('many small frames in one piece are read where they stand, none of them copied', () => {
  const heard: number[] = []
  const pings = Buffer.concat(Array.from({ length: 20_000 }, () => masked(9, Buffer.alloc(0))))
  const next = pings.length / 20_000
  const read = frameReader({
    control: (opcode) => {
      heard.push(opcode)
      pings[heard.length * next] = 0x80 | 10
    },
    broken: () => assert.unreachable(),
  })
  read(pings)
  assert.equal(heard, [9, ...Array(19_999).fill(10)])
})

tests.run()
