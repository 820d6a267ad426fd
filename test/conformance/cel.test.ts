import { readFileSync, writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiLibraries, compile, createEnvironment } from '../../runtime/cel/cel.ts'
import { printType } from '../../runtime/cel/types/types.ts'
import {
  exactly,
  Unsupported,
  type Vector,
  vectorFiles,
  vectorsOf,
} from '../support/cel-vectors.ts'

const conformance = suite('conformance: the expression language')

/** Files of the public vectors that are run whole, but for the vectors that golden/cel-skipped.txt names. */
const files = [
  'basic',
  'bindings_ext',
  'comparisons',
  'conversions',
  'fields',
  'fp_math',
  'integer_math',
  'lists',
  'logic',
  'macros',
  'macros2',
  'namespace',
  'optionals',
  'parse',
  'plumbing',
  'string',
  'string_ext',
  'timestamps',
  'type_deductions',
]

/** Files that are not run, and why. */
const left: Readonly<Record<string, string>> = {
  block_ext: 'cel.block is what an optimizer writes, not what is written',
  dynamic: 'protobuf messages',
  encoders_ext: 'base64 is no library of the release',
  enums: 'protobuf messages',
  math_ext: 'math is no library of the release',
  proto2: 'protobuf messages',
  proto2_ext: 'protobuf messages',
  proto3: 'protobuf messages',
  unknowns: 'has no vectors',
  wrappers: 'protobuf messages',
}

conformance('every file of the vectors is run or has a reason not to be', () => {
  const known = [...files, ...Object.keys(left)].sort()
  assert.equal(known, [...vectorFiles()].sort())
})

/** The file whose functions are not the language's own. */
const withLibraries = 'string_ext'

/** How the vectors of a file ended. */
interface Count {
  readonly file: string
  readonly run: number
  readonly failed: number
  readonly skipped: number
}

const counts: Count[] = []

for (const file of files) {
  conformance(`${file}: every vector gives what it should`, () => {
    const vectors = vectorsOf(file)
    const runnable = vectors.filter(({ vector }) => !(vector instanceof Unsupported))
    const failures = runnable.flatMap(({ name, vector }) => {
      const wrong = mistakeOf(vector as Vector)
      return wrong === undefined ? [] : [`${name}: ${wrong}`]
    })
    const skipped = vectors.length - runnable.length
    counts.push({ file, run: runnable.length, failed: failures.length, skipped })
    assert.equal(failures, [])
  })
}

conformance('the vectors that are skipped need what the engine has no use for', () => {
  const skipped = files.flatMap((file) =>
    vectorsOf(file).flatMap(({ name, vector }) =>
      vector instanceof Unsupported ? [`${name}: ${vector.reason}\n`] : [],
    ),
  )
  const golden = new URL('../../../test/golden/cel-skipped.txt', import.meta.url)
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(golden, skipped.join(''))
  assert.is(skipped.join(''), readFileSync(golden, 'utf8'))
})

function mistakeOf(vector: Vector): string | undefined {
  const environment = createEnvironment({
    variables: vector.variables,
    container: vector.container,
    libraries: vector.file === withLibraries ? apiLibraries : [],
    checked: !vector.unchecked,
    homogeneousLiterals: false,
    macros: { optionals: true, twoVariables: true, bind: true },
  })
  const compiled = compile(vector.expr, environment)
  const wantsError = 'error' in vector.expected
  if (!compiled.ok) return wantsError && compiled.type !== undefined ? undefined : compiled.text
  const type = printType(compiled.program.type)
  if (vector.deducedType !== undefined && type !== vector.deducedType) return `is a ${type}`
  if (vector.checkOnly) return undefined
  const outcome = compiled.program.evaluate(vector.bindings)
  if ('error' in vector.expected) return outcome.is === 'error' ? undefined : 'is no error'
  if (outcome.is === 'error') return outcome.error.message
  if (outcome.is === 'stopped') return 'stopped'
  return exactly(outcome.value, vector.expected.value) ? undefined : 'is another value'
}

conformance('the counts of every file are shown', () => {
  console.log('\n')
  for (const { file, run, failed, skipped } of counts) {
    const beside = skipped === 0 ? '' : `, ${skipped} skipped (test/golden/cel-skipped.txt)`
    console.log(`  ${file.padEnd(16)} ${String(run - failed).padStart(4)} of ${run}${beside}`)
  }
  for (const [file, reason] of Object.entries(left)) {
    console.log(`  ${file.padEnd(16)} not run: ${reason}`)
  }
  assert.is(counts.length, files.length)
})

conformance.run()
