import { posix } from 'node:path'
import { clientModules, layers, openModules, serverModules } from '../layers.ts'
import { type Import, importsOf } from './imports.ts'
import type { Source } from './sources.ts'

const floorOf = new Map(
  layers.flatMap(({ modules: rooms }, floor) => rooms.map((room) => [room, floor] as const)),
)

/** Imports that go up, sideways, past a front door, or from the server's side to the client's. */
export function checkLayers(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ path, text }) => {
    const room = roomOf(path)
    if (room === undefined)
      return path.startsWith('test/') ? [] : [`${path}: stands in no room of tools/layers.ts`]
    return importsOf(text).flatMap((entry) => {
      const problem = problemOf(room, path, entry)
      return problem === undefined ? [] : [`${path}:${entry.line}: ${problem}`]
    })
  })
}

function problemOf(
  room: string,
  path: string,
  { specifier, typeOnly }: Import,
): string | undefined {
  const target = targetOf(path, specifier)
  if (target === undefined) return undefined
  if (room === 'examples') return outside(path, specifier, target)
  const other = roomOf(target)
  if (other === undefined) return `${target} stands in no room`
  if (other === room) return undefined
  if (room === 'codegen' || other === 'codegen') return codegenProblem(room, other, target)
  if (other === 'generated') return generatedProblem(room, typeOnly)
  if (room === 'generated' && typeOnly) return undefined
  if (floorOf.get(other)! >= floorOf.get(room)!) return `${room} may not know ${other}`
  if (meets(room, other)) return `${room} and ${other} meet only on the wire`
  const door = frontDoor(other)
  if (openModules.includes(other) || target === door) return undefined
  return `enter ${other} by ${door}, not ${target}`
}

/** Examples are what a stranger could have written: the package, and files of their own. */
function outside(path: string, specifier: string, target: string): string | undefined {
  const own = path.split('/').slice(0, 2).join('/')
  if (!specifier.startsWith('.') || target.startsWith(`${own}/`)) return undefined
  return `an example imports the package or its own files, not ${target}`
}

/** The one engine that checks rules when they are generated and evaluates them later; it knows the kernel only. */
const expressions = 'runtime/cel/cel.ts'

function codegenProblem(room: string, other: string, target: string): string | undefined {
  if (room === 'tools' || other === 'runtime/kernel' || target === expressions) return undefined
  if (room === 'codegen') return `the generator knows kernel and expressions only, not ${target}`
  return `${room} may not know the generator`
}

/** A tree comes in as an argument; only the outermost rooms choose one. */
function generatedProblem(room: string, typeOnly: boolean): string | undefined {
  if (typeOnly || !room.startsWith('runtime/') || room === 'runtime/testing') return undefined
  return `${room} takes generated facts as an argument (import type is allowed)`
}

function meets(room: string, other: string): boolean {
  const client = clientModules.includes(room) && serverModules.includes(other)
  return client || (serverModules.includes(room) && clientModules.includes(other))
}

/** The file that an import names, relative to the repository; undefined for other packages. */
function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier)
  const own = /^orch\/(generated|kernel)\/(.+)$/.exec(specifier)
  if (own === null) return undefined
  return own[1] === 'kernel' ? `runtime/kernel/${own[2]}.ts` : `generated/${own[2]}.ts`
}

/** The room that a file stands in. */
function roomOf(path: string): string | undefined {
  const [top, second] = path.split('/')
  if (top === 'codegen') return 'codegen'
  const room = top === 'runtime' ? `runtime/${second}` : (top ?? '')
  return floorOf.has(room) ? room : undefined
}

function frontDoor(room: string): string {
  return `${room}/${room.split('/').at(-1)}.ts`
}
