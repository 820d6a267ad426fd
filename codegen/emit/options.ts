/** Emits the option table of each daemon. */
import type { OptionFacts, OptionSet } from '../schema/ir.ts'
import type { ModuleArtefact, Specifiers } from './artefact.ts'
import { importsOf } from './imports.ts'
import type { Model } from './model.ts'
import { constant } from './tables.ts'

export function optionsOf(model: Model, specifiers: Specifiers): readonly ModuleArtefact[] {
  return model.api.optionSets.map((set) => {
    const path = `options/${set.daemon}.ts`
    const imports = importsOf(path, specifiers)
    const type = imports.kernel('options', 'OptionTable', true)
    return {
      is: 'module',
      path,
      from: [`flags/${set.daemon}.yaml`],
      statements: [constant('options', type, tableOf(set), `The options of ${set.daemon}.`)],
      imports: imports.structures(),
    }
  })
}

function tableOf(set: OptionSet) {
  return {
    daemon: set.daemon,
    description: set.description,
    sections: set.sections.map(({ name, options }) => ({ name, options: options.map(rowOf) })),
  }
}

function rowOf({ at: _, ...facts }: OptionFacts) {
  return facts
}
