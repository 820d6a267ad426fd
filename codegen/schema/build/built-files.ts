/** Collects what was built from each schema file, now or by an earlier run. */
import { resolveRef } from '../files/layout.ts'
import type { BuiltDefinition, BuiltFactFile, BuiltFile, BuiltTypeFile } from './built-file.ts'
import type { Definition } from './definitions.ts'
import { walkSchema } from './json-schema.ts'

/** The facts of files, read now or taken from an earlier run. */
export class FactsByFile {
  readonly #known: (file: string) => BuiltFile | undefined
  readonly #found = new Map<string, BuiltFactFile>()

  constructor(known: (file: string) => BuiltFile | undefined) {
    this.#known = known
  }

  /**
   * The facts of a file: those of the earlier run, or else what `read` gives; `refs` are the other files that they
   * depend on.
   */
  of<T>(file: string, read: () => readonly T[], refs: readonly string[] = []): readonly T[] {
    const known = this.#known(file)
    const found = known?.is === 'facts' ? known : { is: 'facts' as const, refs, facts: read() }
    this.#found.set(file, found)
    return found.facts as readonly T[]
  }

  /** The facts of every file that was asked for. */
  all(): ReadonlyMap<string, BuiltFactFile> {
    return this.#found
  }
}

/** What was built from each file that defines types: as the earlier run had it, or from its definitions. */
export function typesByFile(
  made: ReadonlyMap<Definition, BuiltDefinition>,
  known: (file: string) => BuiltFile | undefined,
): ReadonlyMap<string, BuiltFile> {
  const files = new Map<string, Definition[]>()
  for (const each of made.keys()) {
    const others = files.get(each.file)
    if (others === undefined) files.set(each.file, [each])
    else others.push(each)
  }
  const partsOf = (definitions: readonly Definition[]): BuiltTypeFile => {
    const { group, version } = definitions[0]!
    const parts = definitions.map((each) => made.get(each)!)
    return { is: 'types', group, version, refs: filesReferredTo(definitions), definitions: parts }
  }
  return new Map(
    [...files].map(([file, definitions]) => [file, known(file) ?? partsOf(definitions)]),
  )
}

/**
 * The names of files that references lead to, whether they exist or not.
 * A file that does not exist yet is listed: adding it changes what the references mean.
 */
function filesReferredTo(definitions: readonly Definition[]): readonly string[] {
  const found = new Set<string>()
  for (const { schema, file } of definitions) {
    walkSchema(schema, ({ ref }) => {
      const place = ref && resolveRef(ref.value, file)
      if (place !== undefined && place.file !== file) found.add(place.file)
    })
  }
  return [...found].sort()
}
