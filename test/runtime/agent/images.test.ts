import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { noConfigObjects } from '../../../runtime/agent/containers/config-objects.ts'
import { imagesToRemove } from '../../../runtime/agent/images/collect-images.ts'
import { providerCredentials } from '../../../runtime/agent/images/credential-providers.ts'
import {
  credentialsFor,
  credentialsOfFile,
  credentialsOfSecret,
} from '../../../runtime/agent/images/credentials.ts'
import { createImagePuller } from '../../../runtime/agent/images/image-puller.ts'
import { imageNameOf, matchesRegistry } from '../../../runtime/agent/images/registry-match.ts'
import type { ImageCredentials } from '../../../runtime/container-runtime/container-runtime.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { virtualClock } from '../../../runtime/testing/virtual-clock.ts'
import { tempDirectory } from '../../support/temp.ts'

const images = suite('runtime/agent/images')

const auth = (text: string) => Buffer.from(text).toString('base64')
const pod = {
  metadata: { namespace: 'default', name: 'web' },
  spec: { containers: [], imagePullSecrets: [{ name: 'own' }] },
} as unknown as Stored<Pod>

for (const [reference, registry, path] of [
  ['nginx', 'docker.io', 'library/nginx'],
  ['host/sh', 'docker.io', 'host/sh'],
  ['localhost:5000/a/b:1.2', 'localhost:5000', 'a/b'],
  [`r.example.com/team/web@sha256:${'a'.repeat(64)}`, 'r.example.com', 'team/web'],
] as const) {
  images(`${reference.slice(0, 30)} is of ${registry}`, () => {
    assert.equal(imageNameOf(reference), { registry, path })
  })
}

images('what is no reference has no registry', () => {
  for (const wrong of ['', 'Nginx', 'a//b:', 'a b', '../x', 'x:'.repeat(300)])
    assert.is(imageNameOf(wrong), undefined, wrong)
})

for (const [pattern, reference, matches] of [
  ['*.example.com', 'r.example.com/web', true],
  ['*.example.com', 'a.r.example.com/web', false],
  ['https://r.example.com/v1/', 'r.example.com/web', true],
  ['r.example.com/team', 'r.example.com/team/web', true],
  ['r.example.com/team', 'r.example.com/teams/web', false],
  ['r.example.com', 'r.example.com:5000/web', false],
  ['https://index.docker.io/v1/', 'nginx', true],
] as const) {
  images(`${pattern} is ${matches ? '' : 'not '}for ${reference}`, () => {
    const name = imageNameOf(reference)
    assert.ok(name)
    assert.is(matchesRegistry(pattern, name), matches)
  })
}

images('secrets of either form and files have credentials, the nearest first', () => {
  const newer = JSON.stringify({
    auths: { 'r.io': { auth: auth('a:p:q') }, 'r.io/team': { username: 'b', password: 'c' } },
  })
  const older = JSON.stringify({ 'r.io': { auth: auth('old:x') } })
  const known = [
    ...credentialsOfSecret(new Map([['.dockerconfigjson', Buffer.from(newer)]])),
    ...credentialsOfSecret(new Map([['.dockercfg', Buffer.from(older)]])),
    ...credentialsOfFile('no json'),
  ]
  const name = imageNameOf('r.io/team/web')
  assert.ok(name)
  const found = credentialsFor(name, known).map(({ username, password }) => [username, password])
  assert.equal(found, [
    ['b', 'c'],
    ['a', 'p:q'],
    ['old', 'x'],
  ])
})

images('credentials are tried until one is taken, one pull after another', async () => {
  const clock = virtualClock()
  const tried: string[] = []
  let running = 0
  const puller = createImagePuller({
    runtime: {
      async pullImage(_: string, credentials?: ImageCredentials) {
        assert.is(++running, 1)
        await Promise.resolve()
        running--
        tried.push(credentials?.username ?? 'nobody')
        if (credentials?.username !== 'good') throw new Error('401 Unauthorized')
        return 'id'
      },
    },
    objects: {
      ...noConfigObjects,
      secret: async () =>
        new Map([
          [
            '.dockerconfigjson',
            Buffer.from(
              JSON.stringify({
                auths: { 'r.io/team': { auth: auth('bad:x') }, 'r.io': { auth: auth('good:x') } },
              }),
            ),
          ],
        ]),
    },
    ...{ files: [], providers: undefined, atOnce: 1, perSecond: 1, burst: 3, clock },
  })
  await Promise.all([puller.pull(pod, 'r.io/team/a'), puller.pull(pod, 'r.io/team/b')])
  assert.equal(tried, ['bad', 'good', 'bad', 'good'])
  const refused = await puller.pull(pod, 'other.io/x').catch((error) => error.message)
  assert.is(refused, '401 Unauthorized')
  const many = await puller.pull(pod, 'r.io/team/a').catch((error) => error.message)
  assert.is(many, 'pull QPS exceeded')
})

images('a program is asked for credentials once, as long as it says', async () => {
  const folder = tempDirectory()
  const apiVersion = 'credentialprovider.orchlet.orch.io/v1'
  const answer = JSON.stringify({
    ...{ kind: 'CredentialProviderResponse', apiVersion, cacheKeyType: 'Registry' },
    ...{ cacheDuration: '1m', auth: { '*.r.io': { username: 'u', password: 'p' } } },
  })
  const program = join(folder, 'give')
  writeFileSync(program, `#!/bin/sh\ncat >> ${folder}/asked\nprintf '%s' '${answer}'\n`)
  chmodSync(program, 0o755)
  const clock = virtualClock()
  const providers = providerCredentials({
    environment: process.env,
    ...{ folder, clock, log: silentLog },
    programs: [
      { name: 'give', matchImages: ['*.r.io'], defaultCacheDuration: '0s', apiVersion },
      { name: 'absent', matchImages: ['*.r.io'], defaultCacheDuration: '0s', apiVersion },
    ],
  })
  for (const path of ['a', 'b']) {
    const found = await providers.for({ registry: 'x.r.io', path })
    assert.is(found[0]?.[1].username, 'u')
  }
  assert.is(
    readFileSync(join(folder, 'asked'), 'utf8').split('CredentialProviderRequest').length,
    2,
  )
  assert.equal(await providers.for({ registry: 'other.io', path: 'a' }), [])
})

const image = (id: string, bytes: number) => ({ id, tags: [], digests: [], bytes })
const known = (id: string, bytes: number, usedAt: number, isUsed = false) => ({
  ...{ image: image(id, bytes), seenAt: 0, usedAt, isUsed },
})
const settings = { highPercent: 85, lowPercent: 80, leastAgeMs: 120_000, mostAgeMs: 0 }

images('images go above the high mark, the longest unused first, down to the low one', () => {
  const all = [known('used', 90, 9, true), known('b', 40, 2), known('a', 30, 1), known('c', 50, 3)]
  const ids = (available: number, more = {}, now = 200_000) => {
    const found = imagesToRemove(all, { capacity: 1000, available }, { ...settings, ...more }, now)
    return [...found.remove.map(({ id }) => id), found.missing]
  }
  assert.equal(ids(160), [0])
  assert.equal(ids(140), ['a', 'b', 0])
  assert.equal(ids(10), ['a', 'b', 'c', 70])
  assert.equal(ids(10, {}, 100_000), [190])
  assert.equal(ids(10, { highPercent: 100 }), [0])
  assert.equal(ids(500, { mostAgeMs: 199_998 }), ['a', 0])
})

images.run()
