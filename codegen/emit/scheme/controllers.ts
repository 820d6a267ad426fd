/** Emits the table of controllers, and the type of their names. */
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { constant } from '../code/constant.ts'
import { importsOf } from '../code/imports.ts'
import { structure } from '../code/structures.ts'
import type { Model } from '../model/model.ts'

/** The table, if the tree has controllers. */
export function controllersOf(
  { api: { controllers } }: Model,
  specifiers: Specifiers,
): readonly ModuleArtefact[] {
  if (controllers.length === 0) return []
  const path = 'controllers.ts'
  const imports = importsOf(path, specifiers)
  const facts = imports.kernel('descriptors/controller-facts', 'ControllerFacts', true)
  const rows = controllers.map(({ at: _, ...row }) => row)
  const names = rows.map(({ controller }) => `'${controller}'`).join(' | ')
  const docs = ['The name of a controller of the controller manager.']
  return [
    {
      is: 'module',
      path,
      from: ['controllers.yaml'],
      statements: [
        { kind: structure.alias, isExported: true, name: 'ControllerName', type: names, docs },
        constant(
          'controllers',
          `readonly ${facts}<ControllerName>[]`,
          rows,
          'The controllers of the controller manager.',
        ),
      ],
      imports: imports.structures(),
    },
  ]
}
