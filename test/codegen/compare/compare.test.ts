import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ComparedSources, compareSources } from '../../../codegen/compare/compare-sources.ts'
import { packageRoot } from '../../../codegen/main.ts'
import type { Sources } from '../../../codegen/schema/files/sources.ts'
import { readScenario } from '../../support/scenario.ts'

const test = suite('codegen/compare: the rules of deprecation')

/** Each with a breaking and a safe edit, and the exact report of the breaking one, in `golden/against`. */
const scenarios: readonly (readonly [name: string, statements: string, fact: string])[] = [
  ['rule-1-fields', 'A9.2, A9.7', 'a field stays as it is; new ones may come'],
  ['rule-1-values', 'A9.7', 'what was accepted is accepted; more may be'],
  ['rule-1-kinds', 'A9.7', 'a kind keeps its names, verbs and subresources; it may get more'],
  ['rule-1-config', 'A9.7', 'structures of configuration files go only with their version'],
  ['rule-2', 'A9.8', 'a field of one version has its place in the others'],
  ['rule-3', 'A9.9', 'a version gives way to one that is as stable'],
  ['rule-4a-stable', 'A9.6, A9.10', 'a stable version lasts as long as the major version'],
  [
    'rule-4a-beta',
    'A8.7, A9.10',
    'a beta version is served for three releases after its deprecation',
  ],
  ['rule-4a-late', 'A8.7, A9.10', 'a beta version is deprecated three releases after it came'],
  ['rule-4a-off', 'A9.10', 'what was on stays on'],
  ['rule-4a-alpha', 'A9.4, A9.10', 'an alpha version goes at any time, and only that'],
  ['rule-4b', 'A9.11', 'the preferred version advances between two that both releases serve'],
  ['rule-4b-stored', 'A9.11', 'so does the stored one'],
  ['rule-5a', 'A9.12', 'a flag that users type works for a year after its deprecation'],
  ['rule-5b', 'A9.13', "an administrator's flag works for two releases after its deprecation"],
  ['rule-5c', 'A9.14', 'a flag gives way to what is as stable'],
  ['rule-6', 'A9.15', 'a deprecated flag says what to use instead'],
  ['rule-7', 'A9.16', 'an old behaviour can be had back for a year'],
  ['rule-8', 'A9.17', 'a feature gives way to one that is as stable'],
  [
    'rule-9',
    'A3.9, A9.18',
    'a gate is accepted for a while after its feature is finished, or ended',
  ],
  ['rule-10', 'A9.19', 'a gate that is deprecated says whether it can still be set'],
  ['rule-11a', 'A9.20', 'a metric keeps its form, and is there for its time'],
  ['rule-11b', 'A9.21, A9.22', 'a metric is deprecated, hidden, and deleted a release later'],
]

const golden = join(packageRoot, 'test/golden/against')

function side(sources: Sources, name: string): ComparedSources {
  return { sources, nameOf: (file) => `${name}/${file}` }
}

for (const [name, statements, fact] of scenarios) {
  const file = join(golden, `${name}.txt`)
  const scenario = () => readScenario(readFileSync(file, 'utf8'))
  const compare = (edit: 'before' | 'breaking' | 'safe') => {
    const { sources } = scenario()
    return compareSources(side(sources('before'), 'before'), side(sources(edit), 'after'))
  }

  test(`${name}: ${fact} (${statements})`, () => {
    const { breakingChanges: breaches, report, unreadable: broken } = compare('breaking')
    assert.is(broken, undefined, report)
    if (process.env.UPDATE_GOLDEN) {
      const text = readFileSync(file, 'utf8').split('=== report\n')[0]
      writeFileSync(file, `${text}=== report\n${report}`)
    }
    assert.is(report, scenario().report)
    const rule = name.split('-').slice(0, 2).join('-')
    assert.ok(breaches.length > 0)
    for (const breach of breaches) assert.is(breach.rule, rule)
  })

  test(`${name}: the safe edit, and none, break nothing`, () => {
    assert.is(compare('safe').report, '')
    assert.is(compare('before').report, '')
  })
}

test('every scenario in the folder is tested', () => {
  const stems = readdirSync(golden).map((file) => file.replace(/\.txt$/, ''))
  assert.equal(stems.sort(), scenarios.map(([name]) => name).sort())
})

test.run()
