import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../../codegen/main.ts'
import { platformName } from '../../../../codegen/schema/files/sources.ts'
import { printFindings } from '../../../../codegen/schema/finding.ts'
import { wholeFile } from '../../../../codegen/schema/position.ts'
import { readApi } from '../../../../codegen/schema/read.ts'
import { readDefinitions, sourcesWith } from '../../../support/definitions.ts'

const test = suite('codegen/schema: lint')

/** Wrong schema files with the exact messages that they give. A name after the colon is the place in the root. */
const pairs: readonly (readonly [name: string, fact: string, place?: string])[] = [
  ['yaml-syntax', 'a syntax error stops at the first one of a file'],
  ['duplicate-key', 'a key stands once in its mapping'],
  ['yaml-alias', 'aliases are refused'],
  ['yaml-key', 'keys are strings'],
  ['wrong-value', 'a value of another type names the type wanted'],
  ['unknown-name', 'an unknown platform name is found in strings and keys'],
  ['missing-name', 'a platform file names everything', platformName],
  ['unknown-keyword', 'an unknown keyword names the nearest one'],
  ['missing-keyword', 'what a mapping needs is asked for'],
  ['marker-value', 'a marker has one of its values'],
  ['misplaced-marker', 'a marker stands where markers.yaml lets it'],
  ['dangling-ref', 'a reference that leads nowhere names the nearest definition'],
  ['duplicate-definition', 'a name is defined once in a package'],
  ['circular-ref', 'a definition is more than a way back to itself'],
  ['bad-name', 'names of definitions and properties are ones that can be generated'],
  ['unknown-type', 'types are those of JSON Schema'],
  ['unknown-format', 'formats are those that readers check'],
  [
    'known-elsewhere',
    'words of definitions and of JSON Schema get a hint to those of schema files',
  ],
  ['definition-file', 'a definition among schema files is told how to become one'],
  ['bad-pattern', 'a pattern compiles'],
  ['slow-pattern', 'a pattern matches in a time that grows with the text alone'],
  ['required-unknown', 'required names are properties'],
  ['duplicate-field', 'an inlined struct brings no field that is there already'],
  ['duplicate-proto', 'a protobuf number belongs to one field'],
  ['check-absent', 'only structs are checked while absent'],
  ['missing-text', 'only texts, numbers and lists are missing when they are empty'],
  ['missing-map-keys', 'map lists have keys, and only they do'],
  ['unknown-key', 'keys are scalar fields of the items'],
  ['optional-key', 'a key is required, or what it is when it is absent is known'],
  ['bad-default', 'a default is a value of its field'],
  ['kinds', 'a kind has metadata and a plural of its own'],
  ['unknown-path', 'columns and selectors lead to fields'],
  ['unknown-behaviour', 'cells and strategies are ones that there are'],
  ['flags', 'flags are unique and their defaults are of their types', 'flags/demo.yaml'],
  ['flag-fields', 'a flag has a section, and a field that there is', 'flags/demo.yaml'],
  ['constraints', 'a constraint is one that there is, about fields of its struct'],
  ['condition-reasons', 'reasons of conditions are of types and reasons that there are'],
  ['condition-health', 'the health of conditions is a status, and a time to wait for it'],
  ['references', 'a reference is a text of the struct, of a kind that the row or a field says'],
  ['since', 'a release that brought a field or a kind is one'],
  ['bad-rule', 'a rule says what a rule can say'],
  ['rule-syntax', 'a rule is an expression'],
  ['rule-type', 'a rule reads fields that there are, as what they are'],
  ['rule-cost', 'a rule costs no more than is allowed, as often as it can run'],
  ['features', 'a gate never goes back, and its releases ascend', 'features.yaml'],
  ['controllers', 'a controller has a name of its own, and gates that exist', 'controllers.yaml'],
  ['well-known', 'a well-known name has one constant, and parts that there are', 'well-known.yaml'],
  ['metrics', 'a metric has a name, a form and daemons that serve it', 'metrics.yaml'],
]

const golden = join(packageRoot, 'test/golden/bad')

for (const [name, fact, place = 'demo.yaml'] of pairs) {
  test(fact, () => {
    const text = readFileSync(join(golden, `${name}.yaml`), 'utf8')
    const sources = sourcesWith(text, place)
    const { api, findings } = readApi(sources, () => 'orch')
    const found = printFindings(findings, (file) => sources.get(file))
    if (process.env.UPDATE_GOLDEN) writeFileSync(join(golden, `${name}.txt`), found)
    assert.is(found, readFileSync(join(golden, `${name}.txt`), 'utf8'))
    assert.is(api, undefined)
  })
}

test('what a file does not have is shown without a line of it', () => {
  const finding = { at: wholeFile('flags.yaml'), code: 'rule-5a', message: '--color is gone' }
  assert.is(
    printFindings([finding], () => 'daemon: demo\n'),
    'flags.yaml: rule-5a: --color is gone\n',
  )
})

test('every pair in the folder is tested', () => {
  const stems = readdirSync(golden).map((file) => file.replace(/\.(yaml|txt)$/, ''))
  assert.equal([...new Set(stems)].sort(), pairs.map(([name]) => name).sort())
})

test('the documents that the pairs lean on are without findings', () => {
  assert.equal(readDefinitions('{}').findings, [])
})

test.run()
