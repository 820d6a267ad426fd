/** A server as it is on a bad day: a transport that has a real one behind it, and goes wrong as it is told. */
import type { Transport, TransportRequest, TransportResponse } from '../client/client.ts'
import { onAbort } from '../kernel/async/abort-signal.ts'
import { type Clock, pause, type Random, systemClock } from '../kernel/async/clock.ts'
import type { Fault, FaultCode, FaultRule } from './fault.ts'
import { faultyBody } from './faulty-body.ts'
import { type RequestFacts, requestFacts } from './request-facts.ts'
import { seededRandom } from './seeded-random.ts'

/** What befell which request. */
export interface InjectedFault extends RequestFacts {
  readonly fault: Fault
}

/** What a faulty transport needs beside the rules. */
export interface FaultOptions {
  readonly rules: readonly FaultRule[]
  /** What waits are measured by. Default: the machine's. */
  readonly clock?: Clock
  /** Decides about chances. Default: the same numbers every time. */
  readonly random?: Random
}

/** A transport with faults. */
export interface FaultyTransport extends Transport {
  /** What happened so far, in order. */
  readonly injected: readonly InjectedFault[]
  /** Replaces the rules, for requests from now on. Without rules all is well again. */
  setRules(rules: readonly FaultRule[]): void
  /** Breaks every watch that is open now. */
  breakWatches(): void
}

/**
 * Puts faults between clients and a server.
 *
 * @example
 * const transport = injectFaults(plane.transport, {
 *   rules: [{ verb: 'update', fault: { is: 'status', code: 409 }, times: 2 }],
 * })
 * const client = createClient(transport)
 */
export function injectFaults(
  transport: Transport,
  { rules, clock = systemClock, random = seededRandom(1) }: FaultOptions,
): FaultyTransport {
  let current = rules.map(countedRule)
  const injected: InjectedFault[] = []
  const breaks = new Set<() => void>()

  async function send(request: TransportRequest): Promise<TransportResponse> {
    const facts = requestFacts(request)
    const fault = current.find((rule) => rule(facts, random))?.fault
    if (fault !== undefined) injected.push({ ...facts, fault })
    switch (fault?.is) {
      case 'status':
        return refusal(fault, facts)
      case 'refused':
        throw new Error('connection refused')
      case 'slow':
        await pause(clock, fault.ms, request.signal)
        break
      case 'lost': {
        const { body } = await transport.send(request)
        if (facts.verb !== 'watch') for await (const _ of body);
        else void body[Symbol.asyncIterator]().return?.()
        throw new Error('connection reset')
      }
    }
    if (facts.verb !== 'watch') return transport.send(request)
    const stop = new AbortController()
    if (request.signal !== undefined) onAbort(request.signal, () => stop.abort())
    const response = await transport.send({ ...request, signal: stop.signal })
    if (response.status !== 200) return response
    return { ...response, body: faultyBody(response.body, { clock, breaks, fault, stop }) }
  }

  return {
    ...(transport.host !== undefined && { host: transport.host }),
    send,
    close: () => transport.close(),
    injected,
    setRules(next) {
      current = next.map(countedRule)
    },
    breakWatches() {
      for (const one of [...breaks]) one()
    },
  }
}

/** True if a rule fits a request, which then is one of those it counts. */
interface CountedRule {
  (facts: RequestFacts, random: Random): boolean
  readonly fault: Fault
}

function countedRule(rule: FaultRule): CountedRule {
  const { verb, resource, name, chance = 1, times = Number.POSITIVE_INFINITY, fault } = rule
  let left = times
  let skip = rule.skip ?? 0
  const fits = (facts: RequestFacts, random: Random): boolean => {
    if (left <= 0) return false
    if (isOfWatches(fault) && facts.verb !== 'watch') return false
    if (verb !== undefined && verb !== facts.verb) return false
    if (resource !== undefined && resource !== facts.resource) return false
    if (name !== undefined && name !== facts.name) return false
    if (skip-- > 0) return false
    if (chance < 1 && random() >= chance) return false
    left -= 1
    return true
  }
  return Object.assign(fits, { fault })
}

function isOfWatches({ is }: Fault): boolean {
  return is === 'broken' || is === 'ended' || is === 'frozen' || is === 'half-open'
}

const refusals: Readonly<Record<FaultCode, { readonly reason: string; readonly message: string }>> =
  {
    409: {
      reason: 'Conflict',
      message:
        'the object has been modified; please apply your changes to the latest version and try again',
    },
    410: { reason: 'Expired', message: 'The resourceVersion for the provided watch is too old.' },
    429: { reason: 'TooManyRequests', message: 'too many requests, please try again later' },
    500: { reason: 'InternalError', message: 'an error on the server has prevented the request' },
    503: { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle it' },
  }

function refusal(
  { code, retryAfterSeconds }: Extract<Fault, { is: 'status' }>,
  { resource, name }: RequestFacts,
): TransportResponse {
  const details = {
    kind: resource,
    ...(name !== undefined && { name }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' }
  const headers = {
    'content-type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  }
  return { status: code, headers, body: textBody({ ...status, ...refusals[code], details, code }) }
}

async function* textBody(value: object): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(JSON.stringify(value))
}
