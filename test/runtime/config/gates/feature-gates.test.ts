import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { features } from '../../../../generated/features.ts'
import { FeatureGates } from '../../../../runtime/config/config.ts'
import {
  currentRelease,
  type FeatureGate,
} from '../../../../runtime/kernel/descriptors/feature-gate.ts'
import { factsOf } from '../../../support/facts.ts'

const gates = suite('runtime/config: feature gates')

const all = new FeatureGates(features)
const facts = factsOf('feature-gates.txt')

function set(values: Readonly<Record<string, boolean>>, from = all) {
  return from.with(new Map(Object.entries(values)))
}

// D2.296-D2.299 J-06
gates('all 152 have their stage, default and lock', () => {
  assert.is(features.length, 152)
  assert.is(facts.length, 152)
  const table = new Map(features.map((gate) => [gate.gate, currentRelease(gate)]))
  for (const [name, stage, value, locked] of facts) {
    const { stage: have, default: on, locked: fixed = false } = table.get(name!)!
    assert.equal([have, String(on), String(fixed)], [stage, value, locked], name)
  }
})

// A3.5
gates('an alpha gate is off, and can be turned on', () => {
  assert.is(all.enabled('WatchList'), false)
  const { gates: changed, warnings, errors } = set({ WatchList: true })
  assert.is(changed.enabled('WatchList'), true)
  assert.ok(changed.on.has('WatchList'))
  assert.equal([warnings, errors.size], [[], 0])
})

// A3.6
gates('a beta gate is on, and can be turned off', () => {
  assert.is(all.enabled('APIResponseCompression'), true)
  assert.not.ok(set({ APIResponseCompression: false }).gates.on.has('APIResponseCompression'))
})

// A3.7 A3.9
gates(
  'a gate that is generally available cannot be turned off, and warns when it is turned on',
  () => {
    for (const [name, stage] of facts) {
      if (stage !== 'GA') continue
      const off = set({ [name!]: false })
      assert.is(
        off.errors.get(name!),
        `cannot set feature gate ${name} to false, feature is locked to true`,
      )
      assert.is(off.gates.enabled(name!), true)
      assert.equal(set({ [name!]: true }).warnings, [
        `Setting GA feature gate ${name}=true. It will be removed in a future release.`,
      ])
    }
  },
)

// A3.9
gates('a deprecated gate works as long as it is not locked, and warns', () => {
  const { gates: changed, warnings } = set({ KMSv1: true })
  assert.is(changed.enabled('KMSv1'), true)
  assert.equal(warnings, [
    'Setting deprecated feature gate KMSv1=true. It will be removed in a future release.',
  ])
  assert.ok(set({ ExperimentalHostUserNamespaceDefaulting: true }).errors.size)
})

// A3.8
gates('a gate whose time has passed is unknown, and the nearest one is named', () => {
  assert.equal(
    [...set({ PodSecurity: true, WatchLst: true }).errors.values()],
    [
      'unrecognized feature gate: PodSecurity',
      'unrecognized feature gate: WatchLst; did you mean "WatchList"?',
    ],
  )
})

gates('AllAlpha and AllBeta switch what is not set by name', () => {
  const { gates: changed } = set({
    AllAlpha: true,
    AllBeta: false,
    WatchList: false,
    AppArmor: true,
  })
  for (const [name, stage, , locked] of facts) {
    if (['WatchList', 'AppArmor', 'AllAlpha', 'AllBeta'].includes(name!)) continue
    if (stage === 'Alpha' && !name!.includes('<')) assert.is(changed.enabled(name!), true, name)
    if (stage === 'Beta' && !name!.includes('<')) assert.is(changed.enabled(name!), false, name)
    if (locked === 'true' && stage === 'GA') assert.is(changed.enabled(name!), true, name)
  }
  assert.equal([changed.enabled('WatchList'), changed.enabled('AppArmor')], [false, true])
})

gates('a gate of a vendor goes by the vendor in its name', () => {
  const { gates: changed, errors } = set({ InTreePluginAcmeUnregister: true })
  assert.is(errors.size, 0)
  assert.ok(changed.on.has('InTreePluginAcmeUnregister'))
  assert.is(changed.enabled('InTreePluginOtherUnregister'), false)
  assert.is(set({ InTreePluginUnregister: true }).errors.size, 1)
  assert.is(set({ 'InTreePlugin<vendor>Unregister': true }).errors.size, 1)
})

gates('with one mistake nothing of a change holds', () => {
  const { gates: changed, errors } = set({ WatchList: true, Nonsense: true })
  assert.is(errors.size, 1)
  assert.is(changed, all)
})

gates('the last release up to that of the scheme counts', () => {
  const gate: FeatureGate = {
    gate: 'Fast',
    description: 'Fast.',
    releases: [
      { since: '1.27', stage: 'Alpha', default: false },
      { since: '1.28', stage: 'Beta', default: true },
    ],
  }
  assert.is(new FeatureGates([gate]).enabled('Fast'), true)
})

gates.run()
