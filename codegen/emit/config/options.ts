/** Emits the option table of each daemon, and one that finds them by the daemon's name. */
import type { OptionFacts, OptionSet } from '../../schema/ir.ts'
import type { StructType } from '../../schema/named-type.ts'
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { constant } from '../code/constant.ts'
import { importsOf } from '../code/imports.ts'
import { code } from '../code/literal.ts'
import { property, quote } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { configName, configTablePath } from './config.ts'

/** The modules of the flags; none for a tree without any. */
export function optionsOf(model: Model, specifiers: Specifiers): readonly ModuleArtefact[] {
  const { optionSets } = model.api
  if (optionSets.length === 0) return []
  return [
    ...optionSets.map((set) => moduleOf(set, model, specifiers)),
    indexOf(optionSets, specifiers),
  ]
}

/**
 * The table of one daemon, with its configuration file's kind if it has one.
 * Such as `options/orchlet.ts`, which every start of that daemon reads: it holds data and imports one value at most, its configuration file's kind.
 */
function moduleOf(set: OptionSet, model: Model, specifiers: Specifiers): ModuleArtefact {
  const path = `options/${set.daemon}.ts`
  const imports = importsOf(path, specifiers)
  const type = imports.kernel('options/option-table', 'OptionTable', true)
  const root = set.config === undefined ? undefined : (model.type(set.config) as StructType)
  const config = root === undefined ? undefined : configName(root)
  const local =
    root === undefined
      ? []
      : [
          {
            moduleSpecifier: specifiers.local(configTablePath(root), path),
            namedImports: [configName(root)],
          },
        ]
  return {
    is: 'module',
    path,
    from: [set.file],
    statements: [constant('options', type, tableOf(set, config), `The options of ${set.daemon}.`)],
    imports: [...imports.structures(), ...local],
  }
}

/** Sections and flags keep the order of the flag file, in which `--help` prints them. */
function tableOf(set: OptionSet, config: string | undefined) {
  return {
    daemon: set.daemon,
    description: set.description,
    config: config === undefined ? undefined : code(config),
    constraints: set.constraints.length === 0 ? undefined : set.constraints,
    sections: set.sections.map(({ name, options }) => ({ name, options: options.map(rowOf) })),
  }
}

/**
 * A flag without what only comparing trees needs.
 * The stability and the releases of a flag's life have no effect on a running daemon.
 */
function rowOf({ at: _, lifecycle: __, ...facts }: OptionFacts) {
  return facts
}

/** A daemon imports its own table; commands about any daemon use this one. */
function indexOf(sets: readonly OptionSet[], specifiers: Specifiers): ModuleArtefact {
  const path = 'options.ts'
  const imports = importsOf(path, specifiers)
  const type = `Readonly<Record<string, () => Promise<${imports.kernel('options/option-table', 'OptionTable', true)}>>>`
  const rows = sets.map(({ daemon }) => {
    const from = specifiers.local(`options/${daemon}.ts`, path)
    return `  ${property(daemon)}: async () => (await import(${quote(from)})).options,`
  })
  const doc = 'The option tables of the daemons by name, each loaded when it is asked for.'
  return {
    is: 'module',
    path,
    from: sets.map(({ file }) => file).sort(),
    statements: [constant('optionTables', type, code(`{\n${rows.sort().join('\n')}\n}`), doc)],
    imports: imports.structures(),
  }
}
