import { posix } from 'node:path'
import { importsOf } from './imports.ts'
import type { Source } from './sources.ts'

/**
 * Groups of files that import each other in a circle, imports of types included: none of them can be read, moved or tested
 * without the others. Generated files are left out: types that hold each other come from schemas that do.
 */
export function checkCycles(sources: readonly Source[]): readonly string[] {
  const graph = importGraph(sources.filter(({ path }) => !/(^|\/)generated\//.test(path)))
  return components(graph)
    .filter((files) => files.length > 1)
    .map(
      (files) =>
        `${files.length} files import each other: ${shortestCycle(graph, files).join(' -> ')}`,
    )
}

/** The files that each file imports, as far as they are among the given ones. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** The imports among some files, types included; imports of packages and of other files are left out. */
export function importGraph(sources: readonly Source[]): ImportGraph {
  const paths = new Set(sources.map(({ path }) => path))
  return new Map(
    sources.map(({ path, text }) => {
      const relative = importsOf(text).filter(({ specifier }) => specifier.startsWith('.'))
      const targets = relative.map(({ specifier }) => posix.join(posix.dirname(path), specifier))
      return [path, [...new Set(targets)].filter((target) => target !== path && paths.has(target))]
    }),
  )
}

/** The strongly connected components of a graph, by Tarjan's algorithm with a stack of its own. */
export function components(graph: ImportGraph): readonly (readonly string[])[] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const found: string[][] = []
  const visit = (start: string): void => {
    const path: { readonly file: string; next: number }[] = []
    const enter = (file: string): void => {
      order.set(file, order.size)
      lowest.set(file, order.get(file)!)
      open.push(file)
      isOpen.add(file)
      path.push({ file, next: 0 })
    }
    const lower = (file: string, to: number): void =>
      void lowest.set(file, Math.min(lowest.get(file)!, to))
    enter(start)
    while (path.length > 0) {
      const step = path.at(-1)!
      const target = graph.get(step.file)?.[step.next++]
      if (target !== undefined) {
        if (!order.has(target)) enter(target)
        else if (isOpen.has(target)) lower(step.file, order.get(target)!)
        continue
      }
      path.pop()
      const parent = path.at(-1)
      if (parent !== undefined) lower(parent.file, lowest.get(step.file)!)
      if (lowest.get(step.file) === order.get(step.file)) {
        const component = open.splice(open.indexOf(step.file))
        for (const file of component) isOpen.delete(file)
        found.push(component.sort())
      }
    }
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return found
}

/** The shortest way from the first file of a component back to itself. */
function shortestCycle(graph: ImportGraph, files: readonly string[]): readonly string[] {
  const start = files[0]!
  const inside = new Set(files)
  const ways: (readonly string[])[] = [[start]]
  const seen = new Set<string>()
  for (const way of ways) {
    for (const next of graph.get(way.at(-1)!) ?? []) {
      if (next === start) return [...way, start]
      if (!inside.has(next) || seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return files
}
