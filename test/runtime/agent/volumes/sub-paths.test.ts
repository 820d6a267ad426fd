import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mountsOf } from '../../../../runtime/agent/volumes/pod-volumes.ts'
import { tempDirectory } from '../../../support/temp.ts'

const test = suite('runtime/agent: parts of volumes')

function mounted(volume: string, subPath: string): string {
  const container = { volumeMounts: [{ name: 'v', mountPath: '/v', subPath }] }
  const [mount] = mountsOf(container, new Map([['v', volume]]), new Map(), [])
  return mount?.hostPath ?? ''
}

test('a part is made if it is not there, and may be a file or lead to another part', () => {
  const volume = realpathSync(tempDirectory())
  assert.is(mounted(volume, 'a/b'), join(volume, 'a/b'))
  writeFileSync(join(volume, 'file'), 'x')
  assert.is(mounted(volume, 'file'), join(volume, 'file'))
  symlinkSync('a', join(volume, 'link'))
  assert.is(mounted(volume, 'link/c'), join(volume, 'a/c'))
})

test('a link that leads out of the volume is refused, and nothing is made behind it', () => {
  const home = realpathSync(tempDirectory())
  const [volume, outside] = [join(home, 'volume'), join(home, 'outside')]
  mkdirSync(volume)
  mkdirSync(outside)
  symlinkSync(outside, join(volume, 'absolute'))
  symlinkSync('../outside', join(volume, 'relative'))
  symlinkSync('../nowhere', join(volume, 'dangling'))
  for (const part of ['absolute', 'absolute/new', 'relative/new', 'dangling/new', '../outside']) {
    assert.throws(() => mounted(volume, part), /leads out of its volume/, part)
  }
  assert.not(existsSync(join(outside, 'new')))
  assert.not(existsSync(join(home, 'nowhere')))
})

test.run()
