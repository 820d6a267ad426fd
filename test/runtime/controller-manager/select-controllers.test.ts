import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { controllers } from '../../../generated/controllers.ts'
import { selectControllers } from '../../../runtime/controller-manager/controller-manager.ts'

const test = suite('runtime/controller-manager: selectControllers (J-07)')
const gates = new Set(['LegacyServiceAccountTokenCleanUp'])

function named(words: readonly string[]): readonly string[] {
  const { selected } = selectControllers(words, { controllers, gates, cloud: false })
  return selected.map(({ controller }) => controller)
}

test('a star is all that are on by default, need no cloud, and have their gates', () => {
  const all = named(['*'])
  assert.ok(all.includes('garbage-collector-controller'))
  assert.ok(all.includes('legacy-serviceaccount-token-cleaner-controller'))
  for (const name of [
    'token-cleaner-controller',
    'service-lb-controller',
    'resourceclaim-controller',
  ]) {
    assert.not(all.includes(name), name)
  }
})

test('names and older names turn on and off, and the first word about one counts', () => {
  assert.equal(named(['podgc', 'garbage-collector-controller']), [
    'garbage-collector-controller',
    'pod-garbage-collector-controller',
  ])
  assert.not(named(['*', '-podgc']).includes('pod-garbage-collector-controller'))
  assert.equal(named(['podgc', '-pod-garbage-collector-controller']), [
    'pod-garbage-collector-controller',
  ])
  assert.ok(named(['*', 'tokencleaner']).includes('token-cleaner-controller'))
  assert.equal(named([]), [])
})

test('controllers of clouds run where there is a provider; those that were named are said not to run elsewhere', () => {
  const names = [
    'cloud-node-lifecycle-controller',
    'node-route-controller',
    'service-lb-controller',
  ] as const
  const selected = (words: readonly string[], cloud: boolean) =>
    selectControllers(words, { controllers, gates, cloud })
  const { selected: all } = selectControllers(['*'], { controllers, gates, cloud: true })
  for (const name of names) assert.ok(all.some(({ controller }) => controller === name))
  assert.equal(selected(['*'], false).withoutCloud, [])
  assert.equal(selected(['*', '-route', 'service'], false).withoutCloud, ['service-lb-controller'])
  assert.equal(selected(['*', 'service'], true).withoutCloud, [])
})

test('a controller that was named and whose gates are off is said not to run', () => {
  const withoutGates = (words: readonly string[]) =>
    selectControllers(words, { controllers, gates, cloud: true }).withoutGates
  assert.equal(withoutGates(['*', 'legacy-service-account-token-cleaner']), [])
  assert.equal(withoutGates(['*', 'storage-version-gc']), [
    {
      controller: 'storageversion-garbage-collector-controller',
      gates: ['APIServerIdentity', 'StorageVersionAPI'],
    },
  ])
  assert.equal(withoutGates(['-storage-version-gc']), [])
})

test('an unknown name is refused, with one that comes near', () => {
  const { problems } = selectControllers(['attachdetach-'], { controllers, gates, cloud: false })
  assert.equal(problems, [
    'attachdetach-: there is no such controller; did you mean "attachdetach"?',
  ])
})

test.run()
