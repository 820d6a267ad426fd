/** Windows, rates and bounds of autoscalers (T-07). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  afterRescale,
  limitReplicas,
  type ScaleBounds,
  type ScaleHistory,
} from '../../../../runtime/controller-manager/autoscaling/limit-replicas.ts'
import { seededRandom } from '../../../../runtime/testing/seeded-random.ts'

const test = suite('runtime/controller-manager/autoscaling: limits (T-07)')

const at = 1_000_000
const plain: ScaleBounds = { min: 2, max: 10, behavior: undefined, downWindowMs: 300_000 }
const none: ScaleHistory = { recommendations: [], ups: [], downs: [] }
const ago = (seconds: number, replicas: number) => ({ replicas, at: at - seconds * 1000 })
const changed = (seconds: number, change: number) => ({ change, at: at - seconds * 1000 })
const pods = (value: number, periodSeconds = 60) =>
  ({ type: 'Pods', value, periodSeconds }) as const
const percent = (value: number, periodSeconds = 60) =>
  ({ type: 'Percent', value, periodSeconds }) as const
const behavior = (scaleUp: object, scaleDown: object = { policies: [percent(100)] }) => ({
  ...plain,
  behavior: { scaleUp, scaleDown } as never,
})

type Case = readonly [
  title: string,
  proposed: number,
  current: number,
  given: { readonly bounds?: ScaleBounds; readonly history?: Partial<ScaleHistory> },
  replicas: number,
  stabilized: string,
  limited: string,
]

const cases: readonly Case[] = [
  ['what is within bounds is done', 6, 5, {}, 6, 'ReadyForNewScale', 'DesiredWithinRange'],
  ['no more than the most', 12, 8, {}, 10, 'ReadyForNewScale', 'TooManyReplicas'],
  ['no fewer than the least', 1, 3, {}, 2, 'ReadyForNewScale', 'TooFewReplicas'],
  ['at most twice as many at a time', 9, 3, {}, 6, 'ReadyForNewScale', 'ScaleUpLimit'],
  ['or four', 9, 2, { bounds: { ...plain, min: 1 } }, 4, 'ReadyForNewScale', 'ScaleUpLimit'],
  [
    'the highest of the window stands',
    3,
    6,
    { history: { recommendations: [ago(299, 5), ago(301, 9)] } },
    5,
    'ScaleDownStabilized',
    'DesiredWithinRange',
  ],
  [
    'the lowest of the window of scaling up stands',
    8,
    4,
    {
      bounds: behavior({ stabilizationWindowSeconds: 60, policies: [percent(900)] }),
      history: { recommendations: [ago(30, 5), ago(61, 4)] },
    },
    5,
    'ScaleUpStabilized',
    'DesiredWithinRange',
  ],
  [
    'a window of none looks at nothing before',
    2,
    6,
    {
      bounds: behavior({}, { stabilizationWindowSeconds: 0, policies: [percent(100)] }),
      history: { recommendations: [ago(1, 9)] },
    },
    2,
    'ReadyForNewScale',
    'DesiredWithinRange',
  ],
  [
    'so many pods in a period',
    9,
    5,
    { bounds: behavior({ policies: [pods(2)] }) },
    7,
    'ReadyForNewScale',
    'ScaleUpLimit',
  ],
  [
    'those that were added in it count',
    9,
    6,
    {
      bounds: behavior({ policies: [pods(2)] }),
      history: { ups: [changed(59, 1), changed(61, 5)] },
    },
    7,
    'ReadyForNewScale',
    'ScaleUpLimit',
  ],
  [
    'so many per cent are rounded up',
    9,
    5,
    { bounds: behavior({ policies: [percent(10)] }) },
    6,
    'ReadyForNewScale',
    'ScaleUpLimit',
  ],
  [
    'the policy that allows most is the default',
    10,
    4,
    { bounds: behavior({ policies: [pods(1), percent(100)] }) },
    8,
    'ReadyForNewScale',
    'ScaleUpLimit',
  ],
  [
    'the one that allows least may be asked for',
    10,
    4,
    { bounds: behavior({ selectPolicy: 'Min', policies: [pods(1), percent(100)] }) },
    5,
    'ReadyForNewScale',
    'ScaleUpLimit',
  ],
  [
    'scaling up may be switched off',
    10,
    4,
    { bounds: behavior({ selectPolicy: 'Disabled', policies: [percent(100)] }) },
    4,
    'ReadyForNewScale',
    'ScaleUpLimit',
  ],
  [
    'down by so many pods in a period',
    2,
    9,
    { bounds: behavior({}, { stabilizationWindowSeconds: 0, policies: [pods(3)] }) },
    6,
    'ReadyForNewScale',
    'ScaleDownLimit',
  ],
  [
    'down by so many per cent, rounded in favour of fewer',
    2,
    9,
    { bounds: behavior({}, { stabilizationWindowSeconds: 0, policies: [percent(50)] }) },
    4,
    'ReadyForNewScale',
    'ScaleDownLimit',
  ],
  [
    'down by the slower of two policies',
    2,
    9,
    {
      bounds: behavior(
        {},
        { stabilizationWindowSeconds: 0, selectPolicy: 'Min', policies: [pods(1), percent(50)] },
      ),
    },
    8,
    'ReadyForNewScale',
    'ScaleDownLimit',
  ],
  [
    'scaling down may be switched off',
    2,
    9,
    { bounds: behavior({}, { stabilizationWindowSeconds: 0, selectPolicy: 'Disabled' }) },
    9,
    'ReadyForNewScale',
    'ScaleDownLimit',
  ],
]
for (const [title, proposed, current, given, replicas, stabilized, limited] of cases) {
  test(title, () => {
    const { bounds = plain, history = {} } = given
    const result = limitReplicas(proposed, current, {
      ...{ bounds, at },
      history: { ...none, ...history },
    })
    assert.equal(
      [result.replicas, result.stabilized.reason, result.limited.reason],
      [replicas, stabilized, limited],
    )
    assert.is(result.limited.is, limited !== 'DesiredWithinRange')
    assert.equal(result.recommendations.at(-1), { replicas: proposed, at })
  })
}

const period = 15_000

test('for any history the number stays within its bounds, and falls no faster than the window allows', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed)
    const below = (end: number) => Math.floor(random() * end)
    const min = 1 + below(3)
    const windowSeconds = below(5) * 30
    const rules = () => ({
      stabilizationWindowSeconds: below(4) * 30,
      selectPolicy: (['Max', 'Min'] as const)[below(2)],
      policies: [pods(1 + below(4), 15 * (1 + below(6))), percent(1 + below(200), 15)],
    })
    const bounds: ScaleBounds = {
      ...{ min, max: min + below(20), downWindowMs: windowSeconds * 1000 },
      behavior: below(2) === 0 ? undefined : ({ scaleUp: rules(), scaleDown: rules() } as never),
    }
    const windowMs =
      (bounds.behavior?.scaleDown?.stabilizationWindowSeconds ?? windowSeconds) * 1000
    let current = min + below(bounds.max - min + 1)
    let history: ScaleHistory = { ...none, recommendations: [{ replicas: current, at: 0 }] }
    const told = [{ replicas: current, at: 0 }]
    for (let now = period; now < 100 * period; now += period) {
      const proposed = below(bounds.max + 5)
      const { replicas, recommendations } = limitReplicas(proposed, current, {
        ...{ bounds, history, at: now },
      })
      const where = `seed ${seed} at ${now}`
      assert.ok(replicas >= bounds.min && replicas <= bounds.max, where)
      const recent = told.filter((one) => one.at > now - windowMs).map((one) => one.replicas)
      const highest = Math.min(current, bounds.max, Math.max(proposed, ...recent))
      assert.ok(replicas >= Math.min(highest, current), where)
      assert.ok(recommendations.length <= 3600 / 15 + 2, where)
      told.push({ replicas: proposed, at: now })
      history = { ...history, recommendations }
      if (replicas !== current)
        history = afterRescale(history, bounds, { from: current, to: replicas, at: now })
      assert.ok(history.ups.length + history.downs.length <= 20, where)
      current = replicas
    }
  }
})

test.run()
