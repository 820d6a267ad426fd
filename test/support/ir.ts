/** A small hand-made intermediate representation for tests of emitters. */

import type { Specifiers } from '../../codegen/emit/artefact.ts'
import type { Api, KindFacts } from '../../codegen/schema/ir.ts'
import type { Field, NamedType, Type } from '../../codegen/schema/named-type.ts'

const at = { file: 'api/demo/v1/widget.yaml', line: 1, column: 1 }

export const string: Type = { is: 'string', bounds: {} }

/** A field with the facts that most fields have. */
export function field(name: string, type: Type, facts: Partial<Field> = {}): Field {
  const base = { required: false, zero: 'omit', checkAbsent: false } as const
  return { name, description: `The ${name}.`, type, ...base, at, ...facts }
}

export function ref(name: string): Type {
  return { is: 'ref', to: `demo/v1.${name}` }
}

/** A struct of the demo package. */
export function struct(name: string, fields: readonly Field[], root = false): NamedType {
  const facts = { package: 'demo/v1', group: 'demo.example.com', version: 'v1', at }
  const id = `demo/v1.${name}`
  const description = `A ${name}.`
  return { is: 'struct', id, name, description, ...facts, fields, root, preserveUnknown: false }
}

export function closedEnum(name: string, values: readonly string[], closed = true): NamedType {
  const facts = { package: 'demo/v1', group: 'demo.example.com', version: 'v1', at }
  return {
    is: 'enum',
    id: `demo/v1.${name}`,
    name,
    description: `A ${name}.`,
    ...facts,
    values,
    closed,
  }
}

export const widgetKind: KindFacts = {
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  shortNames: ['wd'],
  categories: [],
  scope: 'Namespaced',
  verbs: ['create', 'get', 'list', 'watch'],
  subresources: [],
  nameFormat: 'dns-subdomain',
  createOnUpdate: false,
  unconditionalUpdate: true,
  deleteReturns: 'Status',
  generation: true,
  columns: [],
  selectableFields: {},
  strategies: [],
  applyReset: {},
  type: 'demo/v1.Widget',
  at,
  external: false,
}

/** An api of one kind, whose spec has the given fields, and of further types. */
export function apiOf(spec: readonly Field[], more: readonly NamedType[] = []): Api {
  const root = struct(
    'Widget',
    [
      field('metadata', ref('Meta'), { zero: 'keep' }),
      field('spec', ref('WidgetSpec'), { zero: 'keep' }),
    ],
    true,
  )
  const meta = struct('Meta', [field('name', string)])
  return {
    platform: {
      brand: 'orch',
      prefix: 'orch',
      api: 'orch.io',
      domain: 'orch.io',
      extension: 'orch',
      vendor: 'orch',
      agent: 'orchlet',
      client: 'orchctl',
      schemaPackage: 'io.orch',
      release: '1.29.0',
    },
    groups: [{ group: 'demo.example.com', versions: ['v1'], priority: 1000, off: [] }],
    types: [root, meta, struct('WidgetSpec', spec), ...more],
    kinds: [widgetKind],
    bodies: [],
    markers: [],
    optionSets: [],
    features: [],
    removals: [],
    wellKnown: [],
    metrics: [],
    controllers: [],
  }
}

/** The specifiers of a tree that stands alone. */
export const specifiers: Specifiers = {
  pathTypes: false,
  kernel: (file) => `orch/kernel/${file}`,
  client: () => 'orch',
  local: (to) => `./${to}`,
}
