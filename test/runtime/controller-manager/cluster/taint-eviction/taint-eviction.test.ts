// Where eviction by taints runs, by its gate.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodes } from '../../../../../generated/apis/core/v1/node.ts'
import { pods } from '../../../../../generated/apis/core/v1/pod.ts'
import { controllers as known } from '../../../../../generated/controllers.ts'
import {
  createControllerManager,
  defaultConfiguration,
  selectControllers,
} from '../../../../../runtime/controller-manager/controller-manager.ts'
import { systemClock } from '../../../../../runtime/kernel/async/clock.ts'
import { enabledGatesOf } from '../../../../../runtime/kernel/descriptors/enabled-gates.ts'
import { silentLog } from '../../../../../runtime/observe/observe.ts'
import { startControlPlane } from '../../../../../runtime/testing/testing.ts'
import { until } from '../../../../support/until.ts'

const test = suite('runtime/controller-manager/cluster/taint-eviction')

const words = ['node-lifecycle-controller', 'taint-eviction-controller']

for (const isOn of [true, false]) {
  test(`pods leave tainted nodes, by ${isOn ? 'a controller' : 'a part of the node lifecycle controller'} (T-10)`, async () => {
    await using plane = await startControlPlane()
    const { client } = plane
    const usual = enabledGatesOf(plane.scheme)
    const gates = new Set(
      [...usual].filter((gate) => isOn || gate !== 'SeparateTaintEvictionController'),
    )
    const { selected } = selectControllers(words, { controllers: known, gates, cloud: false })
    const manager = await createControllerManager({
      ...{ controllers: selected, client, gates, platform: plane.scheme.platform },
      ...{ clock: systemClock, log: silentLog, configuration: await defaultConfiguration() },
    })
    assert.equal(manager.controllers, isOn ? words : words.slice(0, 1))
    const end = new AbortController()
    const ended = manager.run(end.signal)
    const taints = [{ key: 'work', effect: 'NoExecute' as const }]
    await client.resource(nodes).create({ metadata: { name: 'a' }, spec: { taints } })
    const own = client.resource(pods).in('default')
    const containers = [{ name: 'main', image: 'work' }]
    await own.create({
      metadata: { name: 'a' },
      spec: { nodeName: 'a', containers, terminationGracePeriodSeconds: 0 },
    })
    await until('the pod is gone', async () => (await own.find('a')) === undefined)
    end.abort()
    await ended
  })
}

test.run()
