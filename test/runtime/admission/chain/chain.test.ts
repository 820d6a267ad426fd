/** The way of a request through the plugins, and its end. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { metrics as table } from '../../../../generated/metrics.ts'
import { createChain } from '../../../../runtime/admission/chain/chain.ts'
import { admissionMetrics } from '../../../../runtime/admission/chain/metrics.ts'
import type { AdmissionPlugin } from '../../../../runtime/admission/chain/plugin.ts'
import { inProcessUser } from '../../../../runtime/auth/auth.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import { createMetrics, type Log, silentLog } from '../../../../runtime/observe/observe.ts'
import { kindAt } from '../../../support/registry.ts'

const test = suite('runtime/admission: chain')

const kind = kindAt('api/v1/configmaps')
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } } as ApiObject

/** Begins a creation before these plugins; gives its case, and what is logged. */
function begun(...plugins: readonly Omit<AdmissionPlugin, 'handles'>[]) {
  const logged: string[] = []
  const log: Log = {
    ...silentLog,
    error: (event, _, cause) => void logged.push(`${event}: ${(cause as Error).message}`),
  }
  const meters = admissionMetrics(createMetrics(table, { release: '1.29.0' }))
  const named = plugins.map((plugin, index) => ({
    name: `p${index}`,
    plugin: { handles: () => true, ...plugin },
  }))
  const way = createChain(named, { clock: systemClock, metrics: meters, log }).begin({
    operation: 'CREATE',
    resource: kind,
    kind,
    namespace: 'default',
    user: inProcessUser,
    dryRun: false,
    options: {},
  })
  assert.ok(way)
  return { way, logged }
}

test('whatever became of a request, every plugin hears it, and none can change it', async () => {
  const heard: string[] = []
  const hearing = (name: string, fails: boolean): Omit<AdmissionPlugin, 'handles'> => ({
    validate(_, voice) {
      voice.onSettled(async (stored) => {
        heard.push(`${name} ${stored}`)
        if (fails) throw new Error(`${name} broke`)
      })
    },
  })
  const { way, logged } = begun(hearing('a', true), hearing('b', false), hearing('c', true))
  await way.validate(object)
  await way.settle(true)
  await way.settle(false)
  assert.equal(heard, ['a true', 'b true', 'c true'])
  assert.equal(logged, ['admission not settled: a broke', 'admission not settled: c broke'])
})

test('plugins change an object one after the other, and twice if one of them asks for it', async () => {
  const seen: string[] = []
  const label = (name: string, asks = false): Omit<AdmissionPlugin, 'handles'> => ({
    mutate(subject, _, round) {
      seen.push(`${name} ${Object.keys(subject.object?.metadata.labels ?? {}).join()}`)
      if (asks) round.setShouldReinvoke()
      const labels = { ...subject.object?.metadata.labels, [name]: 'x' }
      return { ...object, metadata: { ...object.metadata, labels } }
    },
  })
  const { way } = begun(label('a'), label('b', true))
  const { metadata } = await way.mutate(object)
  assert.equal(metadata.labels, { a: 'x', b: 'x' })
  assert.equal(seen, ['a ', 'b a', 'a a,b', 'b a,b'])
})

test('the same warning is told once', async () => {
  const warn = (...texts: readonly string[]): Omit<AdmissionPlugin, 'handles'> => ({
    validate(_, voice) {
      for (const text of texts) voice.warn(text)
    },
  })
  const { way } = begun(warn('one', 'two'), warn('two', 'three'))
  await way.validate(object)
  assert.equal(way.warnings, ['one', 'two', 'three'])
})

test.run()
