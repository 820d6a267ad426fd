import { posix } from 'node:path'
import { clientModules, innerLayers, layers, openModules, serverModules } from '../layers.ts'
import { type Import, importsOf } from './imports.ts'
import type { Source } from './sources.ts'

/** The layer of each module by its number, from the lowest up. */
const layerOf = new Map(
  layers.flatMap(({ modules }, layer) => modules.map((module) => [module, layer] as const)),
)

/** Imports that go up, sideways, past an index, or from the server's side to the client's. */
export function checkLayers(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ path, text }) => {
    const module = moduleOf(path)
    if (module === undefined)
      return path.startsWith('test/') ? [] : [`${path}: stands in no module of tools/layers.ts`]
    return importsOf(text).flatMap((entry) => {
      const problem = problemOf(module, path, entry)
      return problem === undefined ? [] : [`${path}:${entry.line}: ${problem}`]
    })
  })
}

/** What is wrong with one import; undefined if nothing is. */
function problemOf(
  module: string,
  path: string,
  { specifier, typeOnly }: Import,
): string | undefined {
  const target = targetOf(path, specifier)
  if (target === undefined) return undefined
  if (module === 'examples') return outside(specifier, target)
  const other = moduleOf(target)
  if (other === undefined) return `${target} stands in no module`
  if (other === module) return innerProblem(module, path, target)
  if (module === 'codegen' || other === 'codegen') return codegenProblem(module, other, target)
  if (other === 'generated') return generatedProblem(module, typeOnly)
  if (module === 'generated' && typeOnly) return undefined
  if (layerOf.get(other)! >= layerOf.get(module)!) return `${module} may not know ${other}`
  if (meets(module, other)) return `${module} and ${other} meet only on the wire`
  const door = indexOf(other)
  if (openModules.includes(other) || target === door) return undefined
  return `enter ${other} by ${door}, not ${target}`
}

/** Examples are what a stranger could have written: the package, and examples. */
function outside(specifier: string, target: string): string | undefined {
  if (!specifier.startsWith('.') || target.startsWith('examples/')) return undefined
  return `an example imports the package or other examples, not ${target}`
}

/** The one engine that checks rules when they are generated and evaluates them later; it knows the kernel only. */
const expressions = 'runtime/cel/cel.ts'

/** Codegen is for build time: only tools may import it, and it knows the kernel and the expression engine only. */
function codegenProblem(module: string, other: string, target: string): string | undefined {
  if (module === 'tools' || other === 'runtime/kernel' || target === expressions) return undefined
  if (module === 'codegen') return `the generator knows kernel and expressions only, not ${target}`
  return `${module} may not know the generator`
}

/**
 * Modules that choose the facts that others get as an argument: the outermost ones, and those that read and write objects of a kind of
 * the platform for their own purpose.
 */
const choosing = [
  'runtime/delegation',
  'runtime/controller-manager',
  'runtime/scheduler',
  'runtime/agent',
  'runtime/metrics-api',
  'runtime/service-proxy',
  'runtime/cluster-dns',
  'runtime/node-certificates',
  'runtime/simulated-nodes',
  'runtime/connection',
  'runtime/webhook-server',
  'runtime/election',
  'runtime/operator',
  'runtime/recorder',
  'runtime/testing',
]

/** A scheme comes in as an argument; only the outermost modules choose one. */
function generatedProblem(module: string, typeOnly: boolean): string | undefined {
  if (typeOnly || !module.startsWith('runtime/') || choosing.includes(module)) return undefined
  return `${module} takes generated facts as an argument (import type is allowed)`
}

/** Inside a module the order of its folders holds: an import goes to a lower folder, or stays in its own. */
function innerProblem(module: string, path: string, target: string): string | undefined {
  const order = innerLayers[module]
  if (order === undefined || path === indexOf(module)) return undefined
  const [from, to] = [folderIn(module, path), folderIn(module, target)]
  if (from === to) return undefined
  const rank = (folder: string) => order.findIndex((row) => row.includes(folder))
  const [lower, upper] = [rank(to), rank(from)]
  if (lower < 0 || upper < 0) {
    return `${module}/${lower < 0 ? to : from} stands in no row of innerLayers of tools/layers.ts`
  }
  return lower < upper ? undefined : `${from} of ${module} may not know ${to}`
}

/** The folder of a file inside its module; `.` for a file beside the folders. */
function folderIn(module: string, path: string): string {
  const [first, second] = path.slice(module.length + 1).split('/')
  return second === undefined ? '.' : first!
}

/** True for an import between the modules of the server and those of its clients. */
function meets(module: string, other: string): boolean {
  const client = clientModules.includes(module) && serverModules.includes(other)
  return client || (serverModules.includes(module) && clientModules.includes(other))
}

/** The file that an import names, relative to the repository; undefined for other packages. */
function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier)
  const own = /^orch\/(generated|kernel)\/(.+)$/.exec(specifier)
  if (own === null) return undefined
  return own[1] === 'kernel' ? `runtime/kernel/${own[2]}.ts` : `generated/${own[2]}.ts`
}

/** The module that a file stands in. */
function moduleOf(path: string): string | undefined {
  const [top, second] = path.split('/')
  if (top === 'codegen') return 'codegen'
  const module = top === 'runtime' ? `runtime/${second}` : (top ?? '')
  return layerOf.has(module) ? module : undefined
}

/** The file by which a module is entered. */
function indexOf(module: string): string {
  return `${module}/${module.split('/').at(-1)}.ts`
}
