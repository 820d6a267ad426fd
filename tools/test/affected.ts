import type { ImportGraph } from '../check/cycles.ts'

/** The test files that import a changed file, directly or through others, and those that changed themselves. */
export function affectedTests(graph: ImportGraph, changed: readonly string[]): readonly string[] {
  const importers = new Map<string, string[]>()
  for (const [file, targets] of graph) {
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file])
  }
  const reached = new Set(changed)
  for (const file of reached)
    for (const importer of importers.get(file) ?? []) reached.add(importer)
  return [...reached].filter((file) => file.endsWith('.test.ts') && graph.has(file)).sort()
}
