// What a lead would get by the settings in the editor.
import { Accordion, Anchor, Paper, Stack, Text, Title } from '@mantine/core'
import { memo } from 'react'
import { Link } from 'wouter'
import { useWords } from '../../../language.ts'
import { ClockInput } from '../../../parts/clock-input.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import type { Settings } from '../use-campaign.ts'
import { PeriodField } from './fields.tsx'
import { elsewhere, LintFindings } from './lint.tsx'
import type { PreviewAnswer } from './lint-words.ts'
import { type Story, words } from './preview-words.ts'
import { Bars, Headline, Legend, lengthOf, StepList } from './timeline.tsx'
import type { Foretelling, Supposed } from './use-preview.ts'

type Moment = NonNullable<PreviewAnswer['moments']>[number]

type Props = {
  of: Foretelling
  settings: Settings
  supposed: Supposed
  suppose(changes: Partial<Supposed>): void
}

export function ForetoldSection({ of, settings, supposed, suppose }: Props) {
  const text = useWords(words)
  const { answer, timeZone } = of
  const { id: campaignId, mechanism } = settings
  // One scale for all bars, or a longer one would look like a shorter one.
  const seconds = Math.max(...(answer?.moments ?? []).map(({ stories }) => lengthOf(stories)))
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="section" className="preview" aria-busy={of.isBusy}>
      <Stack gap="md">
        <div>
          <Title order={2} size="h4">
            {text.title}
          </Title>
          <Text size="sm" c="dimmed">
            {text.intro}
          </Text>
        </div>
        <ClockInput
          clock="moment"
          timeZone={timeZone}
          usualTime="12:00"
          label={text.own}
          description={text.ownHint(timeZone)}
          min="2000-01-01T00:00"
          max="2099-12-31T23:59"
          value={supposed.own}
          onChange={(own) => suppose({ own })}
        />
        {mechanism.startsOn === 'visit' && (
          <div className="sentence">
            <Text size="sm">{text.visitAfter}</Text>
            <PeriodField
              label={text.visitAfter}
              path="visitAfter"
              value={supposed.visitAfter}
              onChange={(visitAfter) => suppose({ visitAfter })}
            />
            <Text size="sm">{text.visitAfterEnd}</Text>
          </div>
        )}
        <Failure of={{ error: of.error }} />
        <div role="status">
          {answer === undefined && of.error === null && <Text size="sm">{text.waiting}</Text>}
          {answer?.faults && <Text size="sm">{text.correct}</Text>}
        </div>
        {answer?.moments && (
          <>
            <Moments moments={answer.moments} seconds={seconds} timeZone={timeZone} />
            <Legend seconds={seconds} />
          </>
        )}
        {answer?.findings && <Also findings={answer.findings} campaignId={campaignId} />}
      </Stack>
    </Paper>
  )
}

type MomentsProps = { moments: Moment[]; seconds: number; timeZone: string }

/** Drawn for each answer, not for each key that is pressed: it is half of the screen. */
const Moments = memo(function Moments({ moments, seconds, timeZone }: MomentsProps) {
  const text = useWords(words)
  return (
    <Accordion multiple defaultValue={['now']} order={3} variant="contained">
      {moments.map(({ when, at, stories }) => (
        <Accordion.Item key={when} value={when}>
          <Accordion.Control>
            <Text size="sm" fw={600}>
              {text.when[when]}
            </Text>
            <Text size="xs" c="dimmed">
              <TimeText at={at} timeZone={timeZone} isInButton />
            </Text>
            <Text size="sm" mt={4} mb={2}>
              <Headline story={stories[0] as Story} timeZone={timeZone} />
            </Text>
            <Bars stories={stories} seconds={seconds} />
          </Accordion.Control>
          {/* So many panels are no landmarks (ARIA authoring practices, accordion). */}
          <Accordion.Panel role="group">
            <Stories stories={stories} timeZone={timeZone} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
})

function Stories({ stories, timeZone }: { stories: Story[]; timeZone: string }) {
  const text = useWords(words)
  return (
    <Stack gap="sm">
      {stories.map((story) => (
        <div key={story.who}>
          <Text size="sm" fw={600}>
            {text.who[story.who]}
          </Text>
          <StepList story={story} timeZone={timeZone} />
        </div>
      ))}
    </Stack>
  )
}

/** What the service found about settings that stand on other screens. */
function Also({ findings, campaignId }: { findings: NonNullable<PreviewAnswer['findings']>; campaignId: number }) {
  const text = useWords(words)
  const found = elsewhere(findings)
  if (found.length === 0) return null
  const isAbout = (part: string) => found.some(({ path }) => path.startsWith(part))
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {text.also}
      </Title>
      <LintFindings of={found} />
      {(isAbout('pages') || isAbout('mailTimer')) && (
        <Anchor component={Link} href={`/campaigns/${campaignId}/pages`} size="sm">
          {text.toPages}
        </Anchor>
      )}
      {isAbout('mailTimer') && (
        <Anchor component={Link} href={`/campaigns/${campaignId}/timer`} size="sm">
          {text.toTimer}
        </Anchor>
      )}
    </Stack>
  )
}
