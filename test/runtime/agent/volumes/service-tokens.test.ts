import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { serviceAccounts } from '../../../../generated/apis/core/v1/service-account.ts'
import { noConfigObjects } from '../../../../runtime/agent/containers/config-objects.ts'
import { makeVolumes } from '../../../../runtime/agent/volumes/pod-volumes.ts'
import { serverTokens } from '../../../../runtime/agent/volumes/service-tokens.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'
import { tempDirectory } from '../../../support/temp.ts'

const test = suite('runtime/agent: tokens of pods')

test('a token in a volume is made anew after four fifths of its life, or of a day', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, controllers: [] })
  await plane.client
    .resource(serviceAccounts)
    .in('default')
    .create({ metadata: { name: 'robot' } })
  const projected = (expirationSeconds: number) => ({
    sources: [{ serviceAccountToken: { path: 'token', expirationSeconds, audience: 'here' } }],
  })
  const week = 7 * 86_400
  const pod = (await plane.client
    .resource(pods)
    .in('default')
    .create({
      metadata: { name: 'web' },
      spec: {
        ...{ nodeName: 'n1', serviceAccountName: 'robot' },
        containers: [{ name: 'main', image: 'work' }],
        volumes: [
          { name: 'short', projected: projected(1000) },
          { name: 'long', projected: projected(week) },
        ],
      },
    })) as Stored<Pod>
  const folder = tempDirectory()
  const tokens = serverTokens(plane.client, clock)
  const read = async (name: string) => {
    const own = { pod, folder, tokens, objects: noConfigObjects, claims: undefined }
    await makeVolumes({ ...own, hostIP: '10.0.0.1', allocatable: {} })
    return readFileSync(join(folder, 'volumes', name, 'token'), 'utf8')
  }
  const bodyOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const [short, long] = [await read('short'), await read('long')]
  const { aud, exp, sub } = bodyOf(short)
  assert.equal([aud, sub], [['here'], 'system:serviceaccount:default:robot'])
  assert.is(exp - clock.now() / 1000, 1000)
  assert.match(JSON.stringify(bodyOf(short)), `"name":"web","uid":"${pod.metadata.uid}"`)
  clock.advance(799_000)
  assert.is(await read('short'), short)
  clock.advance(2_000)
  const next = await read('short')
  assert.is.not(next, short)
  assert.is(bodyOf(next).exp - clock.now() / 1000, 1000)
  assert.is(await read('long'), long)
  clock.advance(86_400_000 * 0.8)
  assert.is.not(await read('long'), long)
})

test.run()
