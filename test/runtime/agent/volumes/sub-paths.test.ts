import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Volume } from '../../../../generated/apis/core/v1/volume.ts'
import {
  makeVolumes,
  mountsOf,
  removeVolumes,
  type VolumeFacts,
} from '../../../../runtime/agent/volumes/pod-volumes.ts'
import { shareWithGroup } from '../../../../runtime/agent/volumes/volume-group.ts'
import { pinMounts } from '../../../../runtime/agent/volumes/volume-parts.ts'
import { tempDirectory } from '../../../support/temp.ts'

const test = suite('runtime/agent: parts of volumes')

const isRoot = process.getuid?.() === 0
const asRoot = isRoot ? test : test.skip
if (!isRoot) console.log('SKIP parts that are bound, and groups of volumes: they need root')

function mountsIn(volume: string, subPath: string) {
  const container = { volumeMounts: [{ name: 'v', mountPath: '/v', subPath }] }
  return mountsOf(container, new Map([['v', volume]]), new Map(), [])
}

const mounted = (volume: string, subPath: string) => mountsIn(volume, subPath)[0]?.hostPath ?? ''

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

asRoot('a part that is replaced after it was looked at is not bound', () => {
  const home = realpathSync(tempDirectory())
  const volume = join(home, 'volume')
  mkdirSync(volume)
  for (const [name, make] of Object.entries({
    link: (at: string) => symlinkSync('/etc', at),
    folder: (at: string) => mkdirSync(at),
  })) {
    const mounts = mountsIn(volume, name)
    renameSync(join(volume, name), join(volume, `former-${name}`))
    make(join(volume, name))
    assert.throws(() => pinMounts(mounts, join(home, 'parts')), /was replaced/)
  }
})

asRoot('a part that is bound stays what it was, and outlives its pod', async () => {
  const pod = realpathSync(tempDirectory())
  const volume = realpathSync(tempDirectory())
  mkdirSync(join(volume, 'a b'))
  writeFileSync(join(volume, 'a b/data'), 'kept')
  const folder = join(pod, 'parts/main')
  pinMounts(mountsIn(volume, 'a b'), folder)
  // As for a container that is started again.
  const [mount] = pinMounts(mountsIn(volume, 'a b'), folder)
  renameSync(join(volume, 'a b'), join(volume, 'moved'))
  symlinkSync('/etc', join(volume, 'a b'))
  assert.equal(readdirSync(mount?.hostPath ?? ''), ['data'])
  await removeVolumes(pod)
  assert.not(readFileSync('/proc/self/mounts', 'utf8').includes(pod))
  assert.is(readFileSync(join(volume, 'moved/data'), 'utf8'), 'kept')
})

asRoot('a volume is given to a group without what its links lead to', () => {
  const home = realpathSync(tempDirectory())
  const [volume, outside] = [join(home, 'volume'), join(home, 'outside')]
  mkdirSync(join(volume, 'sub'), { recursive: true })
  mkdirSync(outside, { mode: 0o700 })
  writeFileSync(join(volume, 'sub/file'), 'x', { mode: 0o600 })
  symlinkSync(outside, join(volume, 'link'))
  execFileSync('mkfifo', [join(volume, 'pipe')])
  const pod = { spec: { containers: [], securityContext: { fsGroup: 1236 } } } as unknown as Pod
  shareWithGroup(volume, pod, { readonly: false, isNew: false })
  const looks = (path: string) => {
    const { gid, mode } = lstatSync(path)
    return [gid, (mode & 0o7777).toString(8)]
  }
  assert.equal(looks(join(volume, 'sub')), [1236, '2775'])
  assert.equal(looks(join(volume, 'sub/file')), [1236, '660'])
  assert.is(looks(join(volume, 'link'))[0], 1236)
  assert.is(looks(join(volume, 'pipe'))[0], 1236)
  assert.equal(looks(outside), [0, '700'])
})

test('no path that a volume is asked for leads out of it', async () => {
  const home = realpathSync(tempDirectory())
  const folder = join(home, 'pods/a')
  const entries = new Map([['key', Buffer.from('x')]])
  const objects = { configMap: async () => entries, secret: async () => entries }
  const own = { fieldPath: 'metadata.name' }
  const volumes = (path: string): readonly Omit<Volume, 'name'>[] => [
    { configMap: { name: 'm', items: [{ key: 'key', path }] } },
    { secret: { secretName: 's', items: [{ key: 'key', path }] } },
    { downwardAPI: { items: [{ path, fieldRef: own }] } },
    { projected: { sources: [{ configMap: { name: 'm', items: [{ key: 'key', path }] } }] } },
    { projected: { sources: [{ secret: { name: 's', items: [{ key: 'key', path }] } }] } },
    { projected: { sources: [{ downwardAPI: { items: [{ path, fieldRef: own }] } }] } },
    { projected: { sources: [{ serviceAccountToken: { path } }] } },
  ]
  const made = (volume: Omit<Volume, 'name'>) =>
    makeVolumes({
      ...{ folder, objects, claims: undefined, hostIP: '10.0.0.1', allocatable: {} },
      tokens: { token: async () => 'token', forget: () => {} },
      pod: {
        metadata: { name: 'web', namespace: 'default', uid: 'a' },
        spec: { containers: [], volumes: [{ name: 'v', ...volume }] },
      } as unknown as VolumeFacts['pod'],
    })
  for (const path of ['../x', 'a/../../x', '/x', '..', '..data/x', 'a/../..']) {
    for (const volume of volumes(path)) {
      const error = await made(volume).catch((problem) => problem)
      assert.match(String(error), /leads out of its volume/, `${path} ${JSON.stringify(volume)}`)
    }
  }
  for (const volume of volumes('a/./b/../c')) {
    await made(volume)
    assert.ok(readFileSync(join(folder, 'volumes/v/a/c'), 'utf8'))
  }
  assert.equal(readdirSync(home), ['pods'])
  assert.equal(readdirSync(join(home, 'pods')), ['a'])
})

test.run()
