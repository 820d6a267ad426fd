/** For which zone each endpoint is: its own, or another one that has too few for its share of the processors. */
import type { Endpoint, EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { ZoneShares } from './zone-shares.ts'

type Hinted = Pick<EndpointSlice, 'endpoints'>

/** The slices of one family as they are to be, by what is done with each. */
export interface PlannedSlices<Fresh extends Hinted, Old extends Hinted> {
  readonly create: readonly Fresh[]
  readonly update: readonly Old[]
  readonly unchanged: readonly Old[]
}

/** How many endpoints are for each zone. */
export type ZoneCounts = ReadonlyMap<string, number>

/** Slices with hints, or without and why. */
export interface HintedSlices<Fresh extends Hinted, Old extends Hinted> {
  readonly slices: PlannedSlices<Fresh, Old>
  readonly counts?: ZoneCounts
  readonly problem?: string
}

/** So much more than its share may come to the endpoints of a zone. */
const overload = 0.2

/** Slices whose endpoints are for no zone. */
export function withoutHints<Fresh extends Hinted, Old extends Hinted>({
  create,
  update,
  unchanged,
}: PlannedSlices<Fresh, Old>): PlannedSlices<Fresh, Old> {
  const has = ({ endpoints }: Hinted) => endpointsOf(endpoints).some(({ hints }) => hints)
  return {
    create: create.map((slice) => hintedBy(slice, () => undefined)),
    update: [...update, ...unchanged.filter(has)].map((slice) => hintedBy(slice, () => undefined)),
    unchanged: unchanged.filter((slice) => !has(slice)),
  }
}

/** Slices whose ready endpoints are each for one zone, as few of them as possible for another than their own. */
export function withHints<Fresh extends Hinted, Old extends Hinted>(
  planned: PlannedSlices<Fresh, Old>,
  shares: ZoneShares | undefined,
): HintedSlices<Fresh, Old> {
  const refused = (problem: string) => ({ slices: withoutHints(planned), problem })
  const all = [...planned.create, ...planned.update, ...planned.unchanged]
  const ready = all.flatMap(({ endpoints }) => endpointsOf(endpoints)).filter(isReady)
  const allotted = allot(ready.length, shares)
  if (typeof allotted === 'string') return refused(allotted)
  const counts = new Map<string, number>()
  const kept = planned.unchanged.filter((slice) => keepsHints(slice, counts, allotted))
  const given = planned.unchanged.filter((slice) => !kept.includes(slice))
  const changing = [...planned.create, ...planned.update, ...given]
  const free = changing.flatMap(({ endpoints }) => endpointsOf(endpoints)).filter(isReady)
  if (free.some(({ zone = '' }) => zone === ''))
    return refused('One or more endpoints do not have a zone specified')
  for (const { zone = '' } of free) count(counts, zone, 1)
  const zones = redistribute(free, counts, allotted)
  if (counts.size === 0) return refused('No hints allocated for zones')
  const hinted = <S extends Hinted>(slice: S): S => hintedBy(slice, (one) => zones.get(one))
  const again = given.map((slice) => ({ slice, anew: hinted(slice) }))
  const isSame = ({ slice, anew }: (typeof again)[number]) =>
    deepEqual(anew.endpoints, slice.endpoints)
  return {
    slices: {
      create: planned.create.map(hinted),
      update: [
        ...planned.update.map(hinted),
        ...again.filter((one) => !isSame(one)).map(({ anew }) => anew),
      ],
      unchanged: [...kept, ...again.filter(isSame).map(({ slice }) => slice)],
    },
    counts,
  }
}

/** True where a zone has fewer endpoints than its share needs, or shares are not known. */
export function isOverloaded(counts: ZoneCounts, shares: ZoneShares | undefined): boolean {
  if (counts.size === 0) return false
  if (shares === undefined) return true
  const total = [...counts.values()].reduce((sum, one) => sum + one, 0)
  return [...shares].some(([zone, share]) => (counts.get(zone) ?? -1) < leastOf(total, share))
}

/** How many endpoints a zone is to have. */
interface Allotment {
  readonly least: number
  readonly most: number
  readonly wanted: number
}

function leastOf(total: number, share: number): number {
  return Math.ceil(total * share * (1 / (1 + overload)))
}

/** What each zone is to have of so many endpoints; a text says why that cannot be. */
function allot(
  total: number,
  shares: ZoneShares | undefined,
): ReadonlyMap<string, Allotment> | string {
  if (shares === undefined)
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes'
  const size = `(${total} endpoints, ${shares.size} zones)`
  if (shares.size > total) return `Insufficient number of endpoints ${size}`
  const least = new Map([...shares].map(([zone, share]) => [zone, leastOf(total, share)]))
  const rest = total - [...least.values()].reduce((sum, one) => sum + one, 0)
  if (rest < 0)
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${size}`
  return new Map(
    [...shares].map(([zone, share]) => {
      const own = least.get(zone) ?? 0
      return [zone, { least: own, most: own + rest, wanted: Math.max(share * total, own) }]
    }),
  )
}

/** True for a slice whose hints fit, which are counted then. */
function keepsHints(
  { endpoints }: Hinted,
  counts: Map<string, number>,
  allotted: ReadonlyMap<string, Allotment>,
): boolean {
  const own = new Map<string, number>()
  for (const { hints } of endpointsOf(endpoints).filter(isReady)) {
    const zones = hints?.forZones ?? []
    if (zones.length === 0) return false
    for (const { name } of zones) count(own, name, 1)
  }
  const fits = ([zone, number]: readonly [string, number]) =>
    number + (counts.get(zone) ?? 0) <= (allotted.get(zone)?.most ?? -1)
  if (![...own].every(fits)) return false
  for (const [zone, number] of own) count(counts, zone, number)
  return true
}

/** The zone of each endpoint: those of zones that have too many go to the zones that have too few. */
function redistribute(
  endpoints: readonly Endpoint[],
  counts: Map<string, number>,
  allotted: ReadonlyMap<string, Allotment>,
): ReadonlyMap<Endpoint, string> {
  const { giving, receiving } = moves(counts, allotted)
  const zones = new Map<Endpoint, string>()
  for (const endpoint of endpoints) {
    const { zone = '' } = endpoint
    const target = (giving.get(zone) ?? 0) > 0 ? largest(receiving) : undefined
    zones.set(endpoint, target ?? zone)
    if (target === undefined) continue
    count(giving, zone, -1)
    count(receiving, target, -1)
    count(counts, zone, -1)
    count(counts, target, 1)
  }
  return zones
}

/** How many endpoints zones give away and get: by whole ones, or where both sides gain by it. */
function moves(counts: ZoneCounts, allotted: ReadonlyMap<string, Allotment>) {
  const surplus = new Map<string, number>()
  const lack = new Map<string, number>()
  for (const [zone, { wanted }] of allotted) {
    const difference = (counts.get(zone) ?? 0) - wanted
    if (difference > 0) surplus.set(zone, difference)
    else if (difference < 0) lack.set(zone, -difference)
  }
  const giving = new Map<string, number>()
  const receiving = new Map<string, number>()
  while (true) {
    const [from, to] = [largest(surplus), largest(lack)]
    if (from === undefined || to === undefined) break
    const [more, less] = [surplus.get(from) ?? 0, lack.get(to) ?? 0]
    if ((more < 1 && less < 1) || more < 0.5 || less < 0.5) break
    count(giving, from, 1)
    count(surplus, from, -1)
    count(receiving, to, 1)
    count(lack, to, -1)
  }
  return { giving, receiving }
}

/** The zone with the most above zero. */
function largest(zones: ZoneCounts): string | undefined {
  const found = [...zones].filter(([, number]) => number > 0)
  return found.sort(([, a], [, b]) => b - a)[0]?.[0]
}

function count(zones: Map<string, number>, zone: string, change: number): void {
  zones.set(zone, (zones.get(zone) ?? 0) + change)
}

function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready === true
}

function hintedBy<S extends Hinted>(slice: S, zoneOf: (one: Endpoint) => string | undefined): S {
  const endpoints = endpointsOf(slice.endpoints).map((endpoint) => {
    const { hints: _, ...rest } = endpoint
    const zone = zoneOf(endpoint)
    return zone === undefined ? rest : { ...rest, hints: { forZones: [{ name: zone }] } }
  })
  return { ...slice, endpoints }
}

/** The endpoints of a slice; a server writes null for none. */
function endpointsOf(endpoints: Hinted['endpoints']): readonly Endpoint[] {
  return (endpoints as readonly Endpoint[] | null) ?? []
}
