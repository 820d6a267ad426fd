// Controllers of clouds where there is none.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { services } from '../../../../generated/apis/core/v1/service.ts'
import { type Log, type LogFields, silentLog } from '../../../../runtime/observe/observe.ts'
import {
  memoryCloud,
  startControlPlane,
  virtualClock,
} from '../../../../runtime/testing/testing.ts'

const test = suite('runtime/controller-manager/cloud: without a cloud')

const controllers = [
  'cloud-node-lifecycle-controller',
  'node-route-controller',
  'service-lb-controller',
] as const

function collectingLog() {
  const lines: string[] = []
  const note = (event: string, fields: LogFields = {}) =>
    void lines.push(`${event}: ${fields.controller}`)
  const log: Log = { ...silentLog, info: note, warn: note }
  return { lines, log }
}

test('those that were named say that they do not run', async () => {
  const { lines, log } = collectingLog()
  await using _ = await startControlPlane({ controllers, log })
  assert.equal(
    lines,
    controllers.map((one) => `controller does not run: there is no cloud provider: ${one}`),
  )
})

test('a cloud that leaves something out has no controller of that', async () => {
  const { lines, log } = collectingLog()
  const { loadBalancers } = memoryCloud()
  const cloud = { name: 'balancers alone', loadBalancers }
  await using _ = await startControlPlane({ controllers, cloud, log, clusterCIDR: '10.0.0.0/16' })
  assert.equal(
    lines,
    controllers
      .filter((one) => one !== 'service-lb-controller')
      .map((one) => `controller does not run: nothing is to be done: ${one}`),
  )
})

test('a fork has no cloud unless it is given one', async () => {
  const clock = virtualClock()
  const cloud = memoryCloud()
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] } as const
  await using plane = await startControlPlane({ controllers, cloud, clock })
  await using fork = await plane.fork()
  const own = memoryCloud()
  await using other = await plane.fork({ cloud: own })
  for (const { client } of [fork, other]) {
    await client
      .resource(services)
      .in('default')
      .create({ metadata: { name: 'web' }, spec })
  }
  await clock.advanceAsync(10_000)
  assert.equal([cloud.state.balancers.size, own.state.balancers.size], [0, 1])
})

test.run()
