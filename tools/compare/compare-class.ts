import { type Difference, differencesOf } from './differences.ts'
import { reasonFor } from './known.ts'
import { Random, seedOf } from './random.ts'
import type { MakeScenario, Scenario } from './scenario.ts'
import type { ComparedServer } from './server.ts'
import { shrunk } from './shrink.ts'

/** Equal differences of a class: their number, and the smallest scenario that shows one. */
export interface FoundDifference {
  readonly className: string
  readonly signature: string
  /** Why it is meant; absent for a new one. */
  readonly because?: string
  count: number
  /** The index of the first scenario that showed it. */
  readonly index: number
  readonly scenario: Scenario
  readonly difference: Difference
}

/** The two servers. */
export interface Servers {
  readonly ours: ComparedServer
  readonly reference: ComparedServer
}

/** What to run of a class. */
export interface ClassRun {
  readonly className: string
  readonly make: MakeScenario
  readonly cases: number
  readonly first: number
  readonly seed: number
  readonly parallel: number
  readonly subject?: string
  readonly shrink: boolean
  /** Called after each scenario. */
  readonly progress: (count: ClassCount) => void
  /** Hears of each difference that is not meant, as it is met first. */
  readonly discovered: (difference: FoundDifference) => void
}

/** How far the run of a class is. */
export interface ClassCount {
  /** Scenarios that are done. */
  readonly cases: number
  /** Requests that each server answered, those that shrink a difference not counted. */
  readonly requests: number
  /** Answers, or parts of them, that differed. */
  readonly places: number
  /** Differences of different signatures that are meant. */
  readonly known: number
  /** Differences of different signatures that are not. */
  readonly unexplained: number
}

/** What a class came to. */
export interface ClassResult {
  readonly found: readonly FoundDifference[]
  readonly count: ClassCount
}

/** The count while a run goes on. */
type Counting = { -readonly [Key in keyof ClassCount]: ClassCount[Key] }

/** What a run has so far. */
interface Findings {
  readonly found: Map<string, FoundDifference>
  readonly count: Counting
}

/** Runs the scenarios of a class on both servers, several at once. */
export async function compareClass(servers: Servers, run: ClassRun): Promise<ClassResult> {
  const found = new Map<string, FoundDifference>()
  const count: Counting = { cases: 0, requests: 0, places: 0, known: 0, unexplained: 0 }
  let next = run.first
  const worker = async (): Promise<void> => {
    while (next < run.first + run.cases) {
      const index = next
      next += 1
      await compareOne(servers, run, index, { found, count })
      count.cases += 1
      run.progress(count)
    }
  }
  await Promise.all(Array.from({ length: run.parallel }, worker))
  return { found: [...found.values()].sort((a, b) => b.count - a.count), count }
}

/** One scenario on both servers. Of each signature the first is kept, and shrunk unless its difference is meant. */
async function compareOne(
  servers: Servers,
  { className, make, seed, subject, shrink, discovered }: ClassRun,
  index: number,
  { found, count }: Findings,
): Promise<void> {
  const random = new Random(seedOf(className, seed, index))
  const scenario = make(random, `${className.slice(0, 2)}${seed}x${index}`, index)
  if (subject !== undefined && !scenario.subject.includes(subject)) return
  count.requests += scenario.steps.length
  for (const difference of await compareScenario(servers, scenario)) {
    count.places += 1
    const { signature } = difference
    const before = found.get(signature)
    if (before !== undefined) {
      before.count += 1
      continue
    }
    const because =
      reasonFor(signature, () => JSON.stringify(scenario.steps)) ??
      ((await showsAgain(servers, scenario, signature)) ? undefined : chance)
    if (found.has(signature)) continue
    count[because === undefined ? 'unexplained' : 'known'] += 1
    const entry = { className, signature, count: 1, index, scenario, difference }
    found.set(signature, { ...entry, ...(because !== undefined && { because }) })
    if (because === undefined) discovered(entry)
    if (because === undefined && shrink) await shrinkOne(servers, entry, found)
  }
}

/** Why a difference that does not show again counts for none. */
const chance =
  'decision 163: not seen again when the scenario was repeated; the reference may read behind its own writes'

/** Runs a scenario again, twice at most: a difference that comes with its requests shows again. */
async function showsAgain(
  servers: Servers,
  scenario: Scenario,
  signature: string,
): Promise<boolean> {
  return (await shows(servers, scenario, signature)) || (await shows(servers, scenario, signature))
}

/** Replaces a scenario that was found by the smallest that shows the same. */
async function shrinkOne(
  servers: Servers,
  entry: FoundDifference,
  found: Map<string, FoundDifference>,
): Promise<void> {
  const { signature, scenario, difference } = entry
  const smallest = await shrunk(scenario, (smaller) => shows(servers, smaller, signature))
  if (smallest === scenario) return
  const [again = difference] = (await compareScenario(servers, smallest)).filter(
    (one) => one.signature === signature,
  )
  found.set(signature, {
    ...entry,
    count: found.get(signature)?.count ?? 1,
    scenario: smallest,
    difference: again,
  })
}

/** Both servers are asked at the same time: times in their answers lie close together. */
async function compareScenario(
  { ours, reference }: Servers,
  scenario: Scenario,
): Promise<readonly Difference[]> {
  const [mine, theirs] = await Promise.all([
    ours.run(scenario.steps),
    reference.run(scenario.steps),
  ])
  return differencesOf(scenario, mine, theirs)
}

/** True if a scenario shows a difference with this signature, whatever else it shows. */
async function shows(servers: Servers, scenario: Scenario, signature: string): Promise<boolean> {
  return (await compareScenario(servers, scenario)).some((one) => one.signature === signature)
}
