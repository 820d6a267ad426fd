/** Emits the names that the platform gives a meaning, as constants, and as the public ecosystem has them. */
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { constant } from '../code/constant.ts'
import { importsOf } from '../code/imports.ts'
import { structure } from '../code/structures.ts'
import type { Model } from '../model/model.ts'

/** The module of the names, if the tree has a list of them. */
export function wellKnownOf(
  { api: { wellKnown, groups, platform } }: Model,
  specifiers: Specifiers,
): readonly ModuleArtefact[] {
  if (wellKnown.length === 0) return []
  const path = 'well-known.ts'
  const imports = importsOf(path, specifiers)
  const type = imports.kernel('descriptors/platform', 'PublicNames', true)
  const { api, publicApi = api } = platform
  const suffix = `.${api}`
  const branded = groups.map(({ group }) => group).filter((group) => group.endsWith(suffix))
  const publicNames = {
    keys: wellKnown.flatMap(({ name, publicName }) => (publicName ? [[name, publicName]] : [])),
    groups: branded.map((group) => [group, `${group.slice(0, -api.length)}${publicApi}`]),
  }
  return [
    {
      is: 'module',
      path,
      from: ['well-known.yaml'],
      statements: [
        {
          kind: structure.interface,
          isExported: true,
          name: 'WellKnown',
          docs: ['Names inside of objects to which the platform itself gives a meaning.'],
          properties: wellKnown.map(({ constant: name, name: value, of, description }) => ({
            kind: structure.property,
            isReadonly: true,
            name,
            type: `'${value}'`,
            docs: [`${of.slice(0, 1).toUpperCase()}${of.slice(1)}. ${description}`],
          })),
        },
        constant(
          'wellKnown',
          'WellKnown',
          Object.fromEntries(wellKnown.map(({ constant: key, name }) => [key, name])),
          'The names as this platform has them. A client translates them where its server has the public ones.',
        ),
        constant(
          'publicNames',
          type,
          {
            keys: Object.fromEntries(publicNames.keys),
            groups: Object.fromEntries(
              publicNames.groups.filter(([name, other]) => name !== other),
            ),
          },
          'What the public ecosystem calls these names, and the groups of the platform.',
        ),
      ],
      imports: imports.structures(),
    },
  ]
}
