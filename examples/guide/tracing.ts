import { connect, createManager, type Manager, type TracePropagation, type Tracer } from 'orch'
import { websiteController } from '../operator/controller.ts'

/** What an operator uses of `@opentelemetry/api`: `import * as api from '@opentelemetry/api'` gives it. */
export type Telemetry = TracePropagation & {
  readonly trace: { getTracer(name: string): Tracer }
}

/** Each run is a span that says what woke it; requests of the client name it, so that what a server asks others belongs to it, too. */
export async function tracedManager(orchconfig: string, api: Telemetry): Promise<Manager> {
  const client = await connect(orchconfig, { manager: 'website-operator', propagation: api })
  const tracer = api.trace.getTracer('website-operator')
  return createManager({ client, tracer, controllers: [websiteController] })
}
