import { tests } from '@bufbuild/cel-spec/testdata/conformance.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compile, createEnvironment } from '../../../../runtime/cel/cel.ts'
import { apiLibraries } from '../../../../runtime/cel/libraries.ts'
import { exactly, Unsupported, type Vector, vectorsOf } from '../../../support/cel-vectors.ts'

const test = suite('runtime/cel/library/vectors')

/** The files whose libraries and macros are there. `network_ext` (addresses) came after the release: it is not. */
const files = ['string_ext', 'optionals', 'bindings_ext', 'macros2']

/** Vectors that fail, each with its reason. */
const known: ReadonlyMap<string, string> = new Map([])

const least = 0.98

function passes(vector: Vector): boolean {
  const environment = createEnvironment({
    libraries: apiLibraries,
    variables: vector.variables,
    container: vector.container,
    homogeneousLiterals: false,
    macros: { optionals: true, twoVariables: true, bind: true },
  })
  const compiled = compile(vector.expr, environment)
  if (!compiled.ok) return 'error' in vector.expected
  const outcome = compiled.program.evaluate(vector.bindings)
  if ('error' in vector.expected) return outcome.is === 'error'
  return outcome.is === 'value' && exactly(outcome.value, vector.expected.value)
}

for (const file of files) {
  test(`${file} holds, but for the vectors that are named here`, () => {
    const runnable = vectorsOf(file).filter(({ vector }) => !(vector instanceof Unsupported))
    const failed = runnable.filter(({ vector }) => !passes(vector as Vector)).map((one) => one.name)
    assert.equal(
      failed,
      [...known.keys()].filter((name) => name.startsWith(`${file}/`)),
    )
    assert.ok(runnable.length > 0 && (runnable.length - failed.length) / runnable.length >= least)
  })
}

test('errors of string_ext have the texts of the vectors', () => {
  const sections = tests.suites?.find(({ name }) => name === 'string_ext')?.suites ?? []
  let compared = 0
  for (const { original } of sections.flatMap((section) => section.tests ?? [])) {
    const error = (original.evalError as { errors?: { message: string }[] } | undefined)
      ?.errors?.[0]
    const compiled = compile(original.expr, createEnvironment({ libraries: apiLibraries }))
    if (error === undefined || !compiled.ok) continue
    const outcome = compiled.program.evaluate({})
    assert.is(outcome.is === 'error' && outcome.error.message, error.message, original.expr)
    compared++
  }
  assert.ok(compared > 20)
})

test.run()
