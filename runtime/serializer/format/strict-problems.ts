import { maxDuplicates, type StrictProblems } from './decoded.ts'

/** The text for a field that is not in the schema. */
/** The key of a map, which is told like a field; what is a number is the index of an item. */
const mapKey = /\[((?!\d+\])[^\]]*)\]/g

export function unknownFieldText(path: string): string {
  return `unknown field ${JSON.stringify(path.replace(mapKey, '.$1'))}`
}

/** The first of the texts, each once: as many as are told. */
export function firstProblems(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].slice(0, maxDuplicates)
}

/** Of YAML the keys that stand twice are told first, in one error with their lines. */
export function yamlProblems(duplicates: readonly string[]): StrictProblems {
  return {
    warnings: (unknown) => firstProblems([...duplicates, ...unknown.map(unknownFieldText)]),
    error(unknown) {
      const lines = ['yaml: unmarshal errors:', ...duplicates.map((text) => `  ${text}`)]
      return [lines.join('\n'), ...firstProblems(unknown.map(unknownFieldText))].join(', ')
    },
  }
}
