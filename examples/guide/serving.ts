import {
  type Client,
  createManager,
  defineController,
  done,
  type Manager,
  type Metrics,
  type OperatorServer,
  operatorMetrics,
  serveOperator,
  terminal,
} from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'

/** The metrics that an operator has anyway, and one of its own. */
export const menuMetrics = (): Promise<Metrics> =>
  operatorMetrics([
    {
      name: 'menu_dishes',
      type: 'gauge',
      labels: ['course'],
      help: 'Dishes on the last menu that was looked at, by course.',
    },
  ])

/** Counts the dishes of menus; a menu without any waits for its author. */
export function menuManager(client: Client, metrics: Metrics): Manager {
  const dishes = metrics.gauge('menu_dishes')
  const controller = defineController({
    name: 'menu',
    for: configMaps,
    async reconcile({ data = {} }, { log }) {
      const courses = Object.entries(data)
      if (courses.length === 0) return terminal('the menu is empty')
      for (const [course, list] of courses) dishes.set([course], list.split(',').length)
      log.info('menu counted', { courses: courses.length })
      return done
    },
  })
  return createManager({ client, controllers: [controller], metrics, namespace: 'default' })
}

/** Probes, metrics and the debug page. `kitchen` is asked each time: the operator is ready only while it is open. */
export function serveMenus(
  manager: Manager,
  metrics: Metrics,
  kitchen: { readonly open: boolean },
): Promise<OperatorServer> {
  return serveOperator({
    manager,
    metrics,
    port: 0,
    checks: [
      {
        name: 'kitchen',
        endpoints: ['readyz'],
        check() {
          if (!kitchen.open) throw new Error('the kitchen is closed')
        },
      },
    ],
  })
}
