/** Emits the table of served resources, in which the dispatcher looks a path's collection up. */
import type { KindFacts } from '../../schema/ir.ts'
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { constant } from '../code/constant.ts'
import { importsOf } from '../code/imports.ts'
import { code } from '../code/literal.ts'
import { kindName, versionKey } from '../code/names.ts'
import type { Model } from '../model/model.ts'

/**
 * The module of the table.
 * A line for each resource, sorted by path:
 *
 *   'apis/apps/v1/deployments': deployments,
 */
export function routesModule(model: Model, specifiers: Specifiers): ModuleArtefact {
  const path = 'routes.ts'
  const imports = importsOf(path, specifiers)
  const rows = model.kinds.map((kind) => {
    const name = imports.value(model.type(kind.type), kindName(kind))
    return [routeKey(kind), code(name)] as const
  })
  const type = `Readonly<Record<string, ${imports.kernel('descriptors/kind', 'AnyKind', true)}>>`
  const table = Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)))
  const doc = 'Served resources by the path of their collection, without namespace.'
  return {
    is: 'module',
    path,
    from: [],
    statements: [constant('routes', type, table, doc)],
    imports: imports.structures(),
  }
}

/** The path of a collection without namespace: `apis/apps/v1/deployments`. */
function routeKey(kind: KindFacts): string {
  return `${versionKey(kind)}/${kind.plural}`
}
