import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { emit } from '../../../../codegen/emit/emit.ts'
import { print } from '../../../../codegen/print/print.ts'
import type { Field, NamedType } from '../../../../codegen/schema/named-type.ts'
import { apiOf, closedEnum, field, ref, specifiers, string, struct } from '../../../support/ir.ts'

const types = suite('codegen/emit: types, kinds and merge facts')

async function module(
  spec: readonly Field[],
  more: readonly NamedType[] = [],
  path = 'apis/demo/v1/widget.ts',
): Promise<string> {
  const artefacts = await emit(apiOf(spec, more), specifiers)
  return print(artefacts.find((each) => each.path === path)!)
}

function block(text: string, head: string): string {
  const from = text.indexOf(head)
  return text.slice(from, text.indexOf('\n}', from) + 2)
}

types('a struct is a readonly interface; required fields have no question mark', async () => {
  const text = await module([
    field('name', string, { required: true }),
    field('size', { is: 'integer', format: 'int32', bounds: {} }, { default: 3 }),
    field('tags', { is: 'list', items: string }),
    field('labels', { is: 'map', values: string }, { zero: 'keep' }),
    field('odd-name', { is: 'string', bounds: { values: ['a', 'b'] } }),
  ])
  assert.is(
    block(text, '/** A WidgetSpec. */'),
    `/** A WidgetSpec. */
export interface WidgetSpec {
  /** The name. */
  readonly name: string
  /** The size. Default: 3. */
  readonly size?: number
  /** The tags. */
  readonly tags?: readonly string[]
  /** The labels. */
  readonly labels?: Readonly<Record<string, string>> | null
  /** The odd-name. */
  readonly 'odd-name'?: 'a' | 'b'
}`,
  )
})

types('a kind has its exact kind and apiVersion, and always metadata', async () => {
  assert.is(
    block(await module([]), 'export interface Widget {'),
    `export interface Widget {
  readonly kind: 'Widget'
  readonly apiVersion: 'demo.example.com/v1'
  /** The metadata. */
  readonly metadata: Meta
  /** The spec. */
  readonly spec?: WidgetSpec
}`,
  )
})

types('a closed set is a union, an open one takes any string too', async () => {
  const text = await module([], [closedEnum('Color', ['Red']), closedEnum('Mood', ['Fine'], false)])
  assert.match(text, "export type Color = 'Red'\n")
  assert.match(text, "export type Mood = 'Fine' | (string & {})\n")
})

types(
  'merge facts refer to each other by thunks, so that types may contain themselves',
  async () => {
    const tree = struct('Tree', [
      field('name', string),
      field(
        'children',
        { is: 'list', items: ref('Tree') },
        { list: 'map', keys: ['name'], patch: ['merge'], patchKey: 'name' },
      ),
    ])
    assert.is(
      block(await module([], [tree]), 'export const treeMerge'),
      `export const treeMerge: MergeStrategy = {
  fields: {
    children: {
      list: 'map',
      keys: ['name'],
      patch: ['merge'],
      patchKey: 'name',
      items: () => treeMerge,
    },
  },
}`,
    )
  },
)

types('a struct that merges by default has no merge constant', async () => {
  const text = await module([field('name', string)])
  assert.not.match(text, 'Merge')
  assert.match(text, '  merge: {},\n  read: readWidget,\n')
})

types('the client, the routes and the tree name the kind once each', async () => {
  const client = await module([], [], 'client.ts')
  assert.match(client, '    demo: {\n      v1: {\n        widgets: client.resource(widgets),\n')
  const routes = await module([], [], 'routes.ts')
  assert.match(routes, "  'apis/demo.example.com/v1/widgets': widgets,\n")
  const tree = await module([], [], 'scheme.ts')
  assert.match(tree, "      group: 'demo.example.com',\n      versions: ['v1'],\n")
})

types('a type of another tree is imported from where it is, not emitted', async () => {
  const away: NamedType = {
    ...struct('Shared', [field('name', string)]),
    external: 'orch/generated/apis/demo/v1/shared',
    at: { file: 'orch:api/demo/v1/shared.yaml', line: 1, column: 1 },
  }
  const text = await module([field('shared', ref('Shared'), { zero: 'tracked' })], [away])
  assert.match(text, "import type { Shared } from 'orch/generated/apis/demo/v1/shared'")
  assert.not.match(text, 'interface Shared')
  const readers = await module(
    [field('shared', ref('Shared'), { zero: 'tracked' })],
    [away],
    'apis/demo/v1/widget.read.ts',
  )
  assert.match(readers, "import { readShared } from 'orch/generated/apis/demo/v1/shared.read'")
})

types.run()
