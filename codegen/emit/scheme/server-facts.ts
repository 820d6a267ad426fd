/** Emits what a server knows beside its kinds, one constant a file: removals, metrics, flow control. */
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { constant } from '../code/constant.ts'
import { importsOf } from '../code/imports.ts'
import type { Model } from '../model/model.ts'

/** A constant, and the file and type of the kernel that describe it. */
interface ServerFact {
  readonly name: string
  readonly doc: string
  readonly value: unknown
  /** The kernel file and type that describe it. */
  readonly type: readonly [file: string, name: string]
  readonly list: boolean
  /** Imported by the scheme on first use. */
  readonly lazy?: true
}

/**
 * The facts that the schemas of this tree state.
 * Positions stay behind, and with metrics the release of their introduction, which only comparing
 * needs.
 */
export function serverFacts({ api }: Model): readonly ServerFact[] {
  const all: readonly ServerFact[] = [
    {
      name: 'access',
      doc: 'The roles and bindings that a server begins with.',
      value: api.access,
      type: ['descriptors/access-facts', 'AccessFacts'],
      list: false,
      lazy: true,
    },
    {
      name: 'flowControl',
      doc: 'Priority and Fairness as a fresh server has it.',
      value: api.flowControl,
      type: ['descriptors/flow-control-facts', 'FlowControlFacts'],
      list: false,
    },
    {
      name: 'metrics',
      doc: 'What a server counts.',
      value: api.metrics.map(({ at: _, since: __, ...facts }) => facts),
      type: ['descriptors/metric-facts', 'MetricFacts'],
      list: true,
    },
    {
      name: 'removals',
      doc: 'API versions that are gone or will go.',
      value: api.removals.map(({ at: _, ...row }) => row),
      type: ['descriptors/scheme', 'VersionRemoval'],
      list: true,
    },
  ]
  return all.filter(({ value, list }) => (list ? (value as unknown[]).length > 0 : value))
}

/** The module of each fact. */
export function serverFactModules(model: Model, specifiers: Specifiers): readonly ModuleArtefact[] {
  return serverFacts(model).map(({ name, doc, value, type: [file, type], list }) => {
    const path = `${fileOf(name)}.ts`
    const imports = importsOf(path, specifiers)
    const typed = imports.kernel(file, type, true)
    return {
      is: 'module',
      path,
      from: [`${fileOf(name)}.yaml`],
      statements: [constant(name, list ? `readonly ${typed}[]` : typed, value, doc)],
      imports: imports.structures(),
    }
  })
}

/** `flow-control` of `flowControl`. */
export function fileOf(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
}
