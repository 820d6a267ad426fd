import fc from 'fast-check'
import { type StatementStructures, StructureKind, VariableDeclarationKind } from 'ts-morph'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ModuleArtefact } from '../../../codegen/emit/artefact.ts'
import { emit } from '../../../codegen/emit/emit.ts'
import { printModule } from '../../../codegen/print/module.ts'
import { printPlainStatement } from '../../../codegen/print/plain-statements.ts'
import { print } from '../../../codegen/print/print.ts'
import { quickPrinter } from '../../../codegen/print/printer.ts'
import { specifiersOf } from '../../../codegen/print/specifiers.ts'
import { readApi } from '../../../codegen/schema/read.ts'
import { ownSources } from '../../support/definitions.ts'

const test = suite('codegen/print: plain')

const { api, findings } = readApi(
  new Map([...ownSources].map(([file, text]) => [file.replace(/^orch:/, ''), text])),
  () => '',
)

const never = () => {
  throw new Error('the compiler is not needed')
}

test("every module of orch's own tree but one is printed without the compiler, with ts-morph's bytes", async () => {
  assert.equal(findings, [])
  const artefacts = emit(api!, specifiersOf({ inside: true, extension: '.ts' }))
  const modules = artefacts.filter((each): each is ModuleArtefact => each.is === 'module')
  assert.ok(modules.length > 100)
  const most = modules.filter(({ path }) => path !== 'client.ts')
  const texts = await quickPrinter(never).print(most)
  for (const [index, module] of most.entries()) assert.is(texts[index], print(module), module.path)
})

test('what the plain printer does not know is left to the other one, in order', async () => {
  const module = (name: string, statement: StatementStructures): ModuleArtefact => {
    return { is: 'module', path: `${name}.ts`, from: [], imports: [], statements: [statement] }
  }
  const modules = [
    module('a', { kind: StructureKind.TypeAlias, name: 'A', type: 'string' }),
    module('b', { kind: StructureKind.Function, name: 'b', statements: ['return 1'] }),
    module('c', { kind: StructureKind.Interface, name: 'C', extends: ['A'] }),
    module('d', { kind: StructureKind.Interface, name: 'D', docs: ['One.\n\nTwo */ lines.'] }),
  ]
  const asked: string[] = []
  const printer = quickPrinter(() => ({
    print: async (rest) => {
      asked.push(...rest.map(({ path }) => path))
      return rest.map(print)
    },
    close: async () => undefined,
  }))
  assert.equal(await printer.print(modules), modules.map(print))
  assert.equal(asked, ['b.ts', 'c.ts'])
})

const pieces = [
  ...['A', 'a word', ' ', '\n', '\n\n', '\t', '\r\n', ';', '*/', '/*', '//', '*', '@see', '$1'],
  ...['$&', 'held_0_', "'", '"', '\\', 'é', '\u2028', '{', '}', '/** */', '= \n'],
]
const doc = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((each) => each.join(''))
const docs = fc.array(doc, { maxLength: 1 })
const types = ['string', "'a;'", '{ a: 1 }', '\n  | A\n  | B', '{\n  a: 1,\n}', 'held_0_']
const type = fc.constantFrom(...types)
const name = fc.constantFrom('A', 'held_1_', '$a')
const isExported = fc.boolean()
const property = fc.record({
  name: fc.constantFrom('a', "'b-c'"),
  type,
  isReadonly: fc.boolean(),
  hasQuestionToken: fc.boolean(),
  docs,
})
const structures: fc.Arbitrary<StatementStructures> = fc.oneof(
  fc.record({
    kind: fc.constant(StructureKind.Interface as const),
    name,
    isExported,
    docs,
    properties: fc.array(property, { maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant(StructureKind.TypeAlias as const),
    name,
    isExported,
    docs,
    type,
  }),
  fc.record({
    kind: fc.constant(StructureKind.VariableStatement as const),
    declarationKind: fc.constant(VariableDeclarationKind.Const),
    isExported,
    docs,
    declarations: fc
      .record({ name, type, initializer: type }, { requiredKeys: ['name', 'initializer'] })
      .map((one) => [one]),
  }),
)

test('of any structure the plain printer gives the bytes of ts-morph, or nothing', () => {
  const counts = { plain: 0, nothing: 0 }
  fc.assert(
    fc.property(structures, (structure) => {
      const plain = printPlainStatement(structure)
      counts[plain === undefined ? 'nothing' : 'plain']++
      if (plain === undefined) return
      const artefact = { is: 'module', path: 'a.ts', from: [], imports: [] } as const
      assert.is(
        printModule({ ...artefact, statements: [structure] }, () => plain),
        print({ ...artefact, statements: [structure] }),
      )
    }),
    { numRuns: 500 },
  )
  assert.ok(counts.plain > 100 && counts.nothing > 20, JSON.stringify(counts))
})

const unknown: readonly (readonly [fact: string, structure: StatementStructures])[] = [
  ['a base', { kind: StructureKind.Interface, name: 'A', extends: ['B'] }],
  ['a method', { kind: StructureKind.Interface, name: 'A', methods: [{ name: 'm' }] }],
  [
    'a type parameter',
    { kind: StructureKind.TypeAlias, name: 'A', type: 'T', typeParameters: ['T'] },
  ],
  [
    'a type of several lines',
    { kind: StructureKind.Interface, name: 'A', properties: [{ name: 'a', type: '{\n}' }] },
  ],
]

for (const [fact, structure] of unknown) {
  test(`${fact} is nothing for the plain printer`, () => {
    assert.is(printPlainStatement(structure), undefined)
  })
}

test.run()
