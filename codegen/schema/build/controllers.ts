/** The controllers of `controllers.yaml`, and the words that name them. */
import type { ControllerFacts } from '../../../runtime/kernel/descriptors/controller-facts.ts'
import type { Report } from '../finding.ts'
import type { WithPosition } from '../ir.ts'
import type { Shape } from '../keys/shape.ts'
import type { NamedType } from '../named-type.ts'
import { get, plain, text, type YamlNode } from '../yaml/node.ts'
import { inOrder } from './mapping-shape.ts'
import { rows } from './server-facts.ts'

const controllerShape: Shape = {
  controller: 'string!',
  alias: 'string',
  account: 'string!',
  concurrency: 'string',
  gates: 'strings',
  off: 'boolean',
  cloud: 'boolean',
}

/** The word in a constraint on switches that stands for the names and aliases of all controllers. */
const allControllers = '<controllers>'

/** The controllers that `controllers.yaml` lists. A name that stands twice is reported, and both rows are kept. */
export function buildControllers(
  node: YamlNode | undefined,
  report: Report,
): readonly WithPosition<ControllerFacts>[] {
  const names = new Set<string>()
  return rows(node, 'controllers', 'a controller', controllerShape, report).map((row) => {
    for (const key of ['controller', 'alias']) {
      const name = text(get(row, key))
      if (name === undefined) continue
      if (names.has(name))
        report(row.at, 'duplicate-controller', `"${name}" is already a controller`)
      names.add(name)
    }
    return { ...inOrder(plain(row) as ControllerFacts, controllerShape), at: row.at }
  })
}

/** The types with the names of controllers where a constraint says `<controllers>`. */
export function withControllerNames(
  types: readonly NamedType[],
  controllers: readonly ControllerFacts[],
): readonly NamedType[] {
  const names = controllers.flatMap(({ controller, alias }) => [
    controller,
    ...(alias ? [alias] : []),
  ])
  return types.map((type) => {
    if (type.is !== 'struct' || !type.constraints?.some(namesControllers)) return type
    const constraints = type.constraints.map((one) =>
      namesControllers(one) ? { ...one, values: names } : one,
    )
    return { ...type, constraints }
  })
}

function namesControllers(one: {
  readonly is: string
  readonly values?: readonly string[]
}): boolean {
  return one.is === 'switches' && one.values?.[0] === allControllers
}
