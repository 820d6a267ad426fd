/** Emits the typed client: the resources of every kind by group, version and name. */
import type { FunctionDeclarationStructure } from 'ts-morph'
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { importsOf } from '../code/imports.ts'
import { code, literal } from '../code/literal.ts'
import { groupName, kindName } from '../code/names.ts'
import { structure } from '../code/structures.ts'
import type { Model } from '../model/model.ts'

/**
 * The module with `clientset`.
 * Versions of a group stand beside each other: `clientset(client).autoscaling.v2` and `.v1`.
 */
export function clientModule(model: Model, specifiers: Specifiers): ModuleArtefact {
  const path = 'client.ts'
  const imports = importsOf(path, specifiers, ['clientset', 'Clientset'])
  const groups: Record<string, Record<string, Record<string, unknown>>> = {}
  for (const kind of sorted(model.kinds)) {
    const group = groupName(kind.group)
    const name = imports.value(model.type(kind.type), kindName(kind))
    const resource = { [kindName(kind)]: code(`client.resource(${name})`) }
    const versions = groups[group]
    groups[group] = { ...versions, [kind.version]: { ...versions?.[kind.version], ...resource } }
  }
  const client = {
    moduleSpecifier: specifiers.client(path),
    isTypeOnly: true,
    namedImports: ['Client'],
  }
  return {
    is: 'module',
    path,
    from: [],
    statements: [clientset(groups), clientsetType],
    imports: [...imports.structures(), client],
  }
}

/** By group, version and plural: the order of schema files must not show. */
function sorted<
  T extends { readonly group: string; readonly version: string; readonly plural: string },
>(kinds: readonly T[]): readonly T[] {
  const key = (kind: T): string => `${kind.group}/${kind.version}/${kind.plural}`
  return [...kinds].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

function clientset(groups: object): FunctionDeclarationStructure {
  return {
    kind: structure.function,
    name: 'clientset',
    isExported: true,
    docs: ['Every resource of this tree: `clientset(client).core.v1.pods`.'],
    parameters: [{ name: 'client', type: 'Client' }],
    statements: [`return ${literal(groups)}`],
  }
}

const clientsetType = {
  kind: structure.alias,
  name: 'Clientset',
  isExported: true,
  type: 'ReturnType<typeof clientset>',
} as const
