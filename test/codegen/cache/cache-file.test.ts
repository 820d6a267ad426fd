import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCacheFile, writeCacheFile } from '../../../codegen/cache/cache-file.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('codegen: cache files')

test('a file is as long as its content and one head, whatever it says', async () => {
  const file = join(tempDirectory(), 'one')
  const lengths = new Set<number>()
  for (let at = 100; at < 200; at++) {
    await writeCacheFile(file, 'mark', `content ${at}`)
    lengths.add(readFileSync(file).length)
    assert.is(readCacheFile(file, 'mark')?.toString(), `content ${at}`)
    assert.is(readCacheFile(file, 'other'), undefined)
  }
  assert.is(lengths.size, 1)
})

test.run()
