import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { slabAllocator } from '../../../runtime/watch/slabs.ts'

const slabs = suite('runtime/watch: slabs')

slabs('values share memory, none overlaps another, and a long one has its own', () => {
  const allocate = slabAllocator()
  const lengths = Array.from({ length: 300 }, (_, at) => (at * 37) % 9000)
  const values = lengths.map((length, at) => allocate(length).fill(at % 256))
  values.forEach((value, at) => {
    assert.is(value.length, lengths[at])
    assert.ok(value.every((byte) => byte === at % 256))
  })
  const memories = new Set(values.map(({ buffer }) => buffer))
  assert.ok(memories.size < 60)
  assert.is(allocate(100_000).buffer.byteLength, 100_000)
})

slabs.run()
