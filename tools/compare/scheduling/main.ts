/**
 * Compares two schedulers: `node dist/tools/compare/scheduling/main.js --reference PROGRAM`. Each works on a server of ours of its own, in
 * which the same small worlds come to be. A tool for those who work on orch: nothing that must pass everywhere runs it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { publicScheme } from '../own-server.ts'
import { type Count, compareWorld, type Difference, type Sides } from './compare-world.ts'
import { preemptionWorld } from './random-preemption.ts'
import { randomWorld } from './random-world.ts'
import { ownScheduler, programScheduler } from './schedulers.ts'
import { startSide } from './side.ts'
import type { World } from './world.ts'

const usage = [
  'usage: node dist/tools/compare/scheduling/main.js --reference PROGRAM [--worlds N] [--seed N] [--first N] [--show] [--preempting]',
  '',
  'Makes N (100) small worlds of nodes, volumes and pods on two servers of ours in memory, one with our scheduler and one with another',
  'that is right, and prints what becomes of pods differently: the scores of nodes, node, condition, the node that is waited for, the pods that',
  'have to go, events, claims; and, in one of three worlds, who is helped by what happens afterwards. The exit code is 1 if there is a',
  'difference. --first N --worlds 1 runs one world again, --show prints it. --preempting makes worlds whose nodes are full of pods.',
].join('\n')

interface Options {
  readonly reference: string
  readonly worlds: number
  readonly seed: number
  readonly first: number
  readonly show: boolean
  readonly preempting: boolean
}

function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      reference: { type: 'string' },
      worlds: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      first: { type: 'string', default: '0' },
      show: { type: 'boolean', default: false },
      preempting: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { reference, worlds, seed, first, show, preempting, help } = values
  if (help || reference === undefined) return undefined
  const numbers = { worlds: Number(worlds), seed: Number(seed), first: Number(first) }
  return { reference, ...numbers, show, preempting }
}

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options === undefined) {
    console.error(usage)
    return 2
  }
  const folder = await mkdtemp(join(tmpdir(), 'compare-scheduling-'))
  const scheme = await publicScheme()
  const { platform } = scheme
  const ours = await startSide('ours', scheme, (url) => ownScheduler(url, platform))
  const reference = await startSide('reference', scheme, (url) =>
    programScheduler(options.reference, url, folder),
  )
  try {
    return await compareAll({ ours, reference }, options)
  } finally {
    await Promise.all([ours.close(), reference.close()])
    await rm(folder, { recursive: true })
  }
}

async function compareAll(sides: Sides, options: Options): Promise<number> {
  const { worlds, first, show } = options
  const worldOf = worldsOf(options)
  const count: Count = { pods: 0, placed: 0, waiting: 0, preempting: 0 }
  let differing = 0
  for (let index = first; index < first + worlds; index++) {
    if (show) console.log(JSON.stringify(worldOf(index, 'one'), null, 1))
    let found = await compareWorld(sides, worldOf(index, `w${index}`), count)
    if (found.length > 0) {
      found = await compareWorld(sides, worldOf(index, `w${index}-again`), count)
    }
    if (found.length === 0) continue
    differing += 1
    console.log(`\nworld ${index}`)
    for (const one of found) console.log(textOf(one))
  }
  const { pods, placed, waiting, preempting } = count
  console.log(
    `\n${worlds} worlds, ${differing} of them differ; ${pods} pods: ${placed} placed, ${waiting} waiting, ${preempting} made others go`,
  )
  return differing > 0 ? 1 : 0
}

/** In one of three worlds something happens afterwards: it takes seconds to be waited for. */
function worldsOf({ seed, preempting }: Options): (index: number, namespace: string) => World {
  if (preempting) return (index, namespace) => preemptionWorld(seed, index, namespace)
  return (index, namespace) => {
    const world = randomWorld(seed, index, namespace)
    return index % 3 === 0 ? world : { ...world, actions: [] }
  }
}

function textOf({ pod, field, ours, reference }: Difference): string {
  return `  ${pod}: ${field}\n    ours       ${indented(ours)}\n    reference  ${indented(reference)}`
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n               ')
}

process.exitCode = await main(process.argv.slice(2))
