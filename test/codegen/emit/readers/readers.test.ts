import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { emit } from '../../../../codegen/emit/emit.ts'
import type { Field, NamedType, Type } from '../../../../codegen/schema/named-type.ts'
import { apiOf, closedEnum, field, ref, specifiers, string, struct } from '../../../support/ir.ts'

const readers = suite('codegen/emit: readers')

async function text(spec: readonly Field[], more: readonly NamedType[] = []): Promise<string> {
  const artefacts = await emit(apiOf(spec, more), specifiers)
  const found = artefacts.find(({ path }) => path === 'apis/demo/v1/widget.read.ts')
  return found?.is === 'text' ? found.text : ''
}

/** The lines that put fields into the result. */
async function results(spec: readonly Field[], more: readonly NamedType[] = []): Promise<string> {
  const all = await text(spec, more)
  const reader = all.slice(all.indexOf('export function readWidgetSpec('))
  const from = reader.indexOf('\n', reader.indexOf('const out =')) + 1
  return reader.slice(from, reader.indexOf('  return out'))
}

readers(
  'a reader walks own keys into a switch and builds the result in declaration order',
  async () => {
    const all = await text([
      field('size', { is: 'integer', format: 'int32', bounds: { minimum: 1 } }),
      field('tags', { is: 'list', items: string }, { list: 'set' }),
    ])
    assert.is(
      all.slice(all.indexOf('export function readWidgetSpec(')),
      `export function readWidgetSpec(input: unknown, report: r.ReadReport): WidgetSpec {
  let f0: WidgetSpec['size'] | undefined
  let f1: WidgetSpec['tags'] | undefined
  const fields = r.fields(input, report)
  for (const key in fields) {
    const value = fields[key]
    switch (key) {
      case 'size':
        f0 = value === 0 ? undefined : widgetSpecSizeBounded(value, report, 'size')
        break
      case 'tags':
        f1 = r.set(r.list(value, report, 'tags', r.string, ''), report, 'tags')
        break
      default:
        r.unknownField(report, key)
    }
  }
  const out = {} as r.Writable<WidgetSpec>
  if (f0) out.size = f0
  if (r.filled(f1)) out.tags = f1
  return out
}
`,
    )
    assert.match(all, 'const widgetSpecSizeBounded = r.bounded(r.int32, { minimum: 1 })\n')
  },
)

readers('a tracked field is written whenever it was given', async () => {
  assert.is(
    await results([
      field('size', { is: 'integer', format: 'int32', bounds: {} }, { zero: 'tracked' }),
    ]),
    '  if (f0 !== undefined) out.size = f0\n',
  )
})

readers('a default takes the place of an absent value', async () => {
  const size = { is: 'integer', format: 'int32', bounds: {} } as const
  const given = await results([
    field('size', size, { default: 3, zero: 'tracked' }),
    field('name', string, { default: 'x' }),
  ])
  assert.is(
    given,
    `  out.size = f0 ?? 3
  out.name = (f1 || undefined) ?? ('x' as r.Present<WidgetSpec, 'name'>)
`,
  )
})

readers('a kept field is written as its zero, with the defaults inside', async () => {
  const part = struct('Part', [
    field('mode', ref('Mode'), { default: 'Slow' }),
    field('note', string),
    field('list', { is: 'list', items: string }, { zero: 'keep' }),
  ])
  const all = await text(
    [field('part', ref('Part'), { zero: 'keep' })],
    [part, closedEnum('Mode', ['Slow'])],
  )
  const constant = "r.constant<r.Present<WidgetSpec, 'part'>>({ mode: 'Slow', list: null })"
  assert.match(all, `const widgetSpecpartZero = ${constant}\n`)
})

readers('an absent struct can be checked as if it were empty', async () => {
  const part = struct('Part', [field('name', string, { required: true })])
  assert.is(
    await results([field('part', ref('Part'), { zero: 'keep', checkAbsent: true })], [part]),
    "  out.part = f0 ?? r.struct({}, report, 'part', readPart)!\n",
  )
})

readers('what is not validated may be absent, and its errors are dropped', async () => {
  const part = struct('Part', [field('name', string, { required: true })])
  const facts = { required: true, zero: 'tracked', unvalidated: true } as const
  const all = await text([field('part', ref('Part'), facts)], [part])
  const read =
    "r.unvalidated(report, report.errors.length, r.struct(value, report, 'part', readPart))"
  assert.ok(all.includes(`        f0 = ${read}\n`), all)
  assert.not.match(all, "r.required(report, 'part')")
})

readers('a missing required field is reported and stands as its zero value', async () => {
  assert.is(
    await results([field('name', string, { required: true, zero: 'tracked' })]),
    `  if (f0 === undefined) r.required(report, 'name')
  out.name = (f0 === undefined ? ('' as r.Present<WidgetSpec, 'name'>) : f0) as r.Present<WidgetSpec, 'name'>
`,
  )
})

readers('an absent field whose absence means zero is judged as its zero value', async () => {
  const zero = { required: true, zero: 'tracked', absentIsZero: true } as const
  const mode = closedEnum('Mode', ['Slow'])
  const checks = async (name: string, type: Type, facts: Partial<Field> = {}): Promise<string> =>
    (await results([field(name, type, { ...zero, ...facts })], [mode])).split('\n')[0] ?? ''
  assert.is(
    await checks('mode', ref('Mode')),
    "  if (f0 === undefined) readMode('', report, 'mode')",
  )
  assert.match(await checks('name', string), /^ {2}out.name = /)
  assert.is(
    await checks('name', string, { missing: 'say it' }),
    "  if (f0 === undefined) r.present('', report, 'name', r.string, 'say it')",
  )
  assert.is(
    await checks('parts', { is: 'list', items: string }, { missing: '' }),
    "  if (f0 === undefined) r.count([], report, 'parts', 1, Number.POSITIVE_INFINITY, '')",
  )
})

readers('names from a schema are only ever string literals', async () => {
  const all = await text([field(`a'b\\\n"c`, string)])
  assert.match(all, `case 'a\\'b\\\\\\n"c':`)
  assert.match(all, `out['a\\'b\\\\\\n"c'] = f0`)
})

readers('a map of lists reads through a function for its values', async () => {
  const lists = { is: 'map', values: { is: 'list', items: string } } as const
  assert.match(
    await text([field('extra', lists)]),
    "r.map(value, report, 'extra', (value: unknown, report: r.ReadReport, name: string) => r.list(value, report, name, r.string, ''), null as never)",
  )
})

readers.run()
