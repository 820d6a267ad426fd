/**
 * The service proxy: cluster addresses and node ports of services lead to ready pods, on this machine.
 *
 *  1. What is to be led where is decided by a pure function of services and slices (`decision/`). The table of nftables does it where the machine lets us have
 *     one; listeners of this process do where it does not.
 *  2. A change counts for connections from then on. Those that stand go on; flows without connections end when their backend goes.
 *  3. A service that cannot be led is logged once, with the reason; the others are.
 *  4. When it stops, nothing of it is left in the machine: no table, no route, no listener. What one that was killed left is taken away by the next one with
 *     the same name.
 */
export type { Frontend, ServicePlan } from './contract/plan.ts'
export { planServices } from './decision/plan-services.ts'
export { runServiceProxy, type ServiceProxyOptions } from './running/run-service-proxy.ts'
