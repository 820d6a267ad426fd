// A server that is written to for long: its file stays as large as what it keeps.
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { soak } from '../../../tools/bench/soak-run.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('runtime/apiserver: soak')

test('in an hour of writes a file never takes twice what is kept', async () => {
  const file = join(tempDirectory(), 'store.db')
  const { bytes, largestShare } = await soak({ file, seconds: 3600, writesPerSecond: 5 })
  assert.ok(largestShare < 2, `${largestShare} times what is kept, ${bytes} bytes at the end`)
})

test.run()
