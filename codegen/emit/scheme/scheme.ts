/** Emits the platform's names and the scheme: all facts of this output in one value. */
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { constant } from '../code/constant.ts'
import { importsOf } from '../code/imports.ts'
import { code } from '../code/literal.ts'
import type { Model } from '../model/model.ts'
import { gatesOnByDefault } from './feature-gates.ts'
import { hasFieldTypes } from './field-types.ts'
import { hasMessages } from './protobuf.ts'
import { fileOf, serverFacts } from './server-facts.ts'

/** The module of the platform's names. */
export function platformModule(model: Model, specifiers: Specifiers): ModuleArtefact {
  const path = 'platform.ts'
  const imports = importsOf(path, specifiers)
  const type = imports.kernel('descriptors/platform', 'Platform', true)
  return {
    is: 'module',
    path,
    from: [],
    statements: [constant('platform', type, model.api.platform, "The platform's names.")],
    imports: imports.structures(),
  }
}

/**
 * The module of the scheme, which servers, clients and tests are given.
 * Facts that the tree does not have are left out, and their modules are not imported: `protobuf`,
 * `gates` and those of `serverFacts`.
 */
export function schemeModule(model: Model, specifiers: Specifiers): ModuleArtefact {
  const path = 'scheme.ts'
  const imports = importsOf(path, specifiers)
  const all = serverFacts(model)
  const facts = all.filter(({ lazy }) => !lazy).map(({ name }) => name)
  const loaded = all.filter(({ lazy }) => lazy).map(({ name }) => name)
  const names = ['openapi', 'platform', 'routes', ...(hasMessages(model) ? ['protobuf'] : [])]
  const gates = gatesOnByDefault(model)
  const parts = {
    platform: code('platform'),
    groups: model.api.groups.map(({ group, versions, priority, ranks, off }) => ({
      group,
      versions,
      priority,
      ...(ranks && { ranks }),
      ...(off.length > 0 && { off }),
    })),
    routes: code('routes'),
    ...(gates.length > 0 && { gates }),
    openapi: code('openapi'),
    discoverySchemas: code('discoverySchemas'),
    ...Object.fromEntries(facts.map((name) => [name, code(name)])),
    ...(hasMessages(model) && { protobuf: code('protobuf') }),
    ...Object.fromEntries(loaded.map((name) => [name, code(loader(name, specifiers, path))])),
    ...(hasFieldTypes(model) && { fieldTypes: code(loader('fieldTypes', specifiers, path)) }),
  }
  const type = imports.kernel('descriptors/scheme', 'Scheme', true)
  const local = (name: string) => ({
    moduleSpecifier: specifiers.local(`${fileOf(name)}.ts`, path),
    namedImports: name === 'openapi' ? ['discoverySchemas', name] : [name],
  })
  return {
    is: 'module',
    path,
    from: [],
    statements: [
      constant('scheme', type, parts, 'All facts of this output, for a server or a client.'),
    ],
    imports: [...imports.structures(), ...[...names, ...facts].sort().map(local)],
  }
}

/** A function that imports the constant of a fact. */
function loader(name: string, specifiers: Specifiers, path: string): string {
  return `async () => (await import('${specifiers.local(`${fileOf(name)}.ts`, path)}')).${name}`
}
