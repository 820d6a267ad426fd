import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compareSources } from '../../../codegen/compare/compare-sources.ts'
import { flagLifetimes } from '../../../codegen/compare/flags.ts'
import { gateLifetimes } from '../../../codegen/compare/gates.ts'
import { betaLifetime } from '../../../codegen/compare/kinds.ts'
import { metricLifetimes, shownLifetimes } from '../../../codegen/compare/metrics.ts'
import {
  majorAdvances,
  minorOf,
  releasesBetween,
  releasesOf,
} from '../../../codegen/compare/release.ts'
import { mayReplace } from '../../../codegen/compare/stability.ts'
import { readScenario } from '../../support/scenario.ts'

const test = suite('codegen/compare: releases and stability')

// A8.5, A8.7, A9.12, A9.13, A9.16, A9.18, A9.20, A9.21: what is counted in months lasts as many releases as fill them
const lifetimes: readonly (readonly [
  what: string,
  lifetime: Parameters<typeof releasesOf>[0],
  want: number,
])[] = [
  ['a beta version', betaLifetime, 3],
  ['a flag that users type', flagLifetimes.user.GA, 3],
  ['a beta flag that users type', flagLifetimes.user.Beta, 1],
  ['an alpha flag that users type', flagLifetimes.user.Alpha, 0],
  ["an administrator's flag", flagLifetimes.admin.GA, 2],
  ["an administrator's beta flag", flagLifetimes.admin.Beta, 1],
  ["an administrator's alpha flag", flagLifetimes.admin.Alpha, 0],
  ['an old behaviour', gateLifetimes.behaviour, 3],
  ['the gate of a finished feature', gateLifetimes.finished, 2],
  ['the gate of a beta feature that ends', gateLifetimes.betaEnded, 1],
  ['the gate of an alpha feature that ends', gateLifetimes.alphaEnded, 0],
  ['a stable metric', metricLifetimes.STABLE, 4],
  ['a beta metric', metricLifetimes.BETA, 2],
  ['an alpha metric', metricLifetimes.ALPHA, 0],
  ['a stable metric that is deprecated', shownLifetimes.STABLE, 3],
  ['a beta metric that is deprecated', shownLifetimes.BETA, 1],
  ['an alpha metric that is deprecated', shownLifetimes.ALPHA, 0],
]
for (const [what, lifetime, want] of lifetimes) {
  test(`${what} lasts ${want} releases`, () => assert.is(releasesOf(lifetime), want))
}

test('releases are counted within a major version', () => {
  assert.is(releasesBetween('1.26', '1.29.3'), 3)
  assert.is(releasesBetween('1.29', '1.26'), -3)
  assert.is(releasesBetween('1.29', '2.0'), Number.POSITIVE_INFINITY)
  assert.is(releasesBetween('2.0', '1.29'), Number.NEGATIVE_INFINITY)
  assert.is(minorOf('1.29.0'), '1.29')
  assert.equal([majorAdvances('1.29', '2.0'), majorAdvances('1.29', '1.30')], [true, false])
})

// A9.4, A9.5, A9.6, A9.9
const replacements: readonly (readonly [
  version: string,
  by: readonly string[],
  not: readonly string[],
])[] = [
  ['v1', ['v2', 'v10'], ['v1', 'v2beta1', 'v2alpha1']],
  ['v2', ['v10'], ['v1']],
  ['v1beta2', ['v1', 'v1beta3', 'v1beta10', 'v2beta1'], ['v1beta1', 'v1beta2', 'v2alpha1']],
  ['v1alpha2', ['v1', 'v1beta1', 'v1alpha3', 'v2alpha1'], ['v1alpha1', 'v1alpha2']],
]
for (const [version, by, not] of replacements) {
  test(`${version} gives way to what is as stable, and later`, () => {
    for (const other of by) assert.ok(mayReplace(other, version), other)
    for (const other of not) assert.not.ok(mayReplace(other, version), other)
  })
}

/** What a group serves in a release, the preferred version first, and what is deprecated since when. */
type Release = readonly [
  release: string,
  versions: readonly string[],
  deprecated: Readonly<Record<string, string>>,
]

function treeOf([release, versions, deprecated]: Release): string {
  const files = versions.map(
    (version) => `=== before ${version}.yaml
group: demo.example.com
version: ${version}
definitions:
  Site:
    description: A page on the web.
    type: object
    x-orch-kind: { plural: sites }
    properties:
      metadata: { $ref: 'orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta', x-orch-zero: keep }
`,
  )
  const rows = Object.entries(deprecated).map(([version, since]) => {
    const removed = `1.${Number(since.split('.')[1]) + 3}`
    const ages = `deprecated: '${since}', removed: '${removed}'`
    return `  - { group: demo.example.com, version: ${version}, ${ages}, resources: { sites: Site } }\n`
  })
  const off = versions.filter((version) => version.includes('alpha'))
  const group = `group: demo.example.com, priority: 900, versions: [${versions}], off: [${off}]`
  return [
    ...files,
    `=== before groups.yaml\ngroups:\n  - { ${group} }\n`,
    ...(rows.length > 0 ? [`=== before removals.yaml\nremovals:\n${rows.join('')}`] : []),
    `=== before release\n${release}.0\n`,
  ].join('')
}

function rulesBroken(before: Release, after: Release): readonly string[] {
  const side = (release: Release, name: string) => ({
    sources: readScenario(treeOf(release)).sources('before'),
    nameOf: (file: string) => `${name}/${file}`,
  })
  const {
    breakingChanges: breaches,
    unreadable: broken,
    report,
  } = compareSources(side(before, 'before'), side(after, 'after'))
  assert.is(broken, undefined, report)
  return breaches.map(({ rule }) => rule)
}

/** From the first alpha version to the only stable one, with everything that has to be waited for. */
const timeline: readonly Release[] = [
  ['1.10', ['v1alpha1'], {}],
  ['1.11', ['v1alpha2'], {}],
  ['1.12', ['v1beta1', 'v1alpha2'], {}],
  ['1.13', ['v1beta1', 'v1beta2'], {}],
  ['1.14', ['v1beta2', 'v1beta1'], { v1beta1: '1.14' }],
  ['1.15', ['v1beta2', 'v1', 'v1beta1'], { v1beta1: '1.14' }],
  ['1.16', ['v1', 'v1beta2', 'v1beta1'], { v1beta1: '1.14', v1beta2: '1.16' }],
  ['1.17', ['v1', 'v1beta2'], { v1beta1: '1.14', v1beta2: '1.16' }],
  ['1.18', ['v1', 'v1beta2'], { v1beta2: '1.16' }],
  ['1.19', ['v1'], { v1beta2: '1.16' }],
]

// A9.69
test('a group goes from alpha to stable without breaking a rule', () => {
  timeline.slice(1).forEach((after, index) => {
    const before = timeline[index]!
    assert.equal(rulesBroken(before, after), [], `${before[0]} to ${after[0]}`)
  })
})

// A9.69
test('what goes faster breaks one', () => {
  const at = (release: string): Release => timeline.find(([name]) => name === release)!
  assert.equal(rulesBroken(at('1.12'), ['1.13', ['v1beta2', 'v1beta1'], {}]), ['rule-4b'])
  assert.equal(rulesBroken(at('1.13'), ['1.14', ['v1beta2'], { v1beta1: '1.14' }]), [
    'rule-4b',
    'rule-4a',
    'rule-4a',
  ])
  assert.equal(rulesBroken(at('1.18'), ['1.18', ['v1'], { v1beta2: '1.16' }]), [
    'rule-4a',
    'rule-4a',
  ])
})

test.run()
