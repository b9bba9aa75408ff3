import { Alert, Anchor, Button, Group, SegmentedControl, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, useAsk } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { CopyBlock } from '../../../parts/copy.tsx'
import { download, jsonFile } from '../../../parts/download.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { RoleNote } from '../../../parts/role-note.tsx'
import { Section } from '../../../parts/section.tsx'
import { useMay } from '../../../session.ts'
import { Everywhere } from './codes.tsx'
import { type Language, languageNames, OperationCard } from './operation.tsx'
import { type Reference, readOperations } from './reading.ts'
import { words } from './words.ts'

type CampaignListed = AnswerOf<'GET /campaigns'>['campaigns'][number]

/** The reference of the public API, made of its description, with this installation's address in its examples. */
export default function ReferencePart() {
  const reference = useAsk('GET /reference', {}, { staleMs: 60_000 })
  const list = useAsk('GET /campaigns', { query: {} })
  if (reference.isLoadingError) return <Failure of={reference} />
  if (list.isLoadingError) return <Failure of={list} />
  if (reference.isPending || list.isPending) return <Waiting />
  const { campaigns, nextAfterId } = list.data
  return <Whole reference={reference.data} campaigns={campaigns} hasMore={nextAfterId !== null} />
}

type WholeProps = { reference: Reference; campaigns: CampaignListed[]; hasMore: boolean }

function Whole({ reference, campaigns, hasMore }: WholeProps) {
  const text = useWords(words)
  const [chosenId, setChosenId] = useState<number>()
  const [language, setLanguage] = useState<Language>('curl')
  const published = campaigns.find(({ isDraft }) => !isDraft)
  const chosen = campaigns.find(({ id }) => id === chosenId) ?? published ?? campaigns[0]
  return (
    <Stack gap="lg">
      <Text>{text.intro}</Text>
      <Start reference={reference} campaignId={chosen?.id} />
      <Title order={2} size="h3">
        {text.operations}
      </Title>
      {chosen === undefined ? (
        <Empty text={text.noCampaign}>
          <Button component={Link} href="/campaigns">
            {text.toCampaigns}
          </Button>
        </Empty>
      ) : (
        <CampaignChoice campaigns={campaigns} hasMore={hasMore} chosen={chosen} onChoose={setChosenId} />
      )}
      <LanguageChoice language={language} onChoose={setLanguage} />
      {readOperations(reference.description).map((operation) => (
        <OperationCard
          key={operation.name}
          operation={operation}
          language={language}
          snippet={snippetFor(reference.snippets[operation.name][language], chosen?.id)}
        />
      ))}
      <Everywhere description={reference.description} />
    </Stack>
  )
}

/** None where it names a campaign and there is none. */
function snippetFor(snippet: string, campaignId: number | undefined): string | undefined {
  const named = snippet.replaceAll('{campaignId}', String(campaignId))
  return campaignId === undefined && named !== snippet ? undefined : named
}

/** With the campaign in its variable. */
function collectionFor(collection: Reference['collection'], campaignId: number | undefined) {
  const value = String(campaignId ?? '')
  const variable = collection.variable.map((one) => (one.key === 'campaignId' ? { ...one, value } : one))
  return { ...collection, variable }
}

/** What one needs before the first call. */
function Start({ reference, campaignId }: { reference: Reference; campaignId: number | undefined }) {
  const text = useWords(words)
  const mayMakeKeys = useMay('owner')
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Section title={text.baseUrl}>
        <CopyBlock text={reference.baseUrl} name={text.baseUrl} />
        <Text size="sm">
          {text.limit}: {text.limitText(reference.rateLimit)}
        </Text>
      </Section>
      <Section title={text.key}>
        <CopyBlock text="export LASTCALL_KEY='lastcall_…'" name={text.keyLine} />
        <Text size="sm">
          {text.keyText}{' '}
          {mayMakeKeys && (
            <Anchor component={Link} href="/integrations" inherit underline="always">
              {text.toKeys}
            </Anchor>
          )}
        </Text>
        <RoleNote needed="owner">{text.onlyOwners}</RoleNote>
      </Section>
      <Download
        title={text.description}
        intro={text.descriptionText}
        name="lastcall-openapi.json"
        content={reference.description}
      />
      <Download
        title={text.collection}
        intro={text.collectionText}
        name="lastcall-collection.json"
        content={collectionFor(reference.collection, campaignId)}
      />
    </SimpleGrid>
  )
}

type File = { title: string; intro: string; name: string; content: object }

function Download({ title, intro, name, content }: File) {
  const text = useWords(words)
  return (
    <Section title={title}>
      <Text size="sm">{intro}</Text>
      <Group mt="auto">
        <Button
          variant="default"
          onClick={() => download(jsonFile(content), name)}
          aria-label={`${text.download}: ${name}`}
          style={{ overflow: 'hidden' }}
        >
          {text.download} {name}
        </Button>
      </Group>
    </Section>
  )
}

type Choice = {
  campaigns: CampaignListed[]
  hasMore: boolean
  chosen: CampaignListed
  onChoose(id: number): void
}

function CampaignChoice({ campaigns, hasMore, chosen, onChoose }: Choice) {
  const text = useWords(words)
  return (
    <>
      <Select
        label={text.campaign}
        description={hasMore ? `${text.campaignHint} ${text.firstOnly(campaigns.length)}` : text.campaignHint}
        data={campaigns.map(({ id, name, isDraft }) => ({
          value: String(id),
          label: `${id} · ${isDraft ? text.draftOption(name) : name}`,
        }))}
        value={String(chosen.id)}
        onChange={(id) => id !== null && onChoose(Number(id))}
        allowDeselect={false}
        searchable
        limit={100}
        nothingFoundMessage={text.noMatch}
        maw={480}
      />
      {chosen.isDraft && (
        <Alert variant="outline" color="orange" role="note">
          {text.draft}
        </Alert>
      )}
    </>
  )
}

function LanguageChoice({ language, onChoose }: { language: Language; onChoose(next: Language): void }) {
  const text = useWords(words)
  return (
    <Group>
      <SegmentedControl
        aria-label={text.snippetLanguage}
        value={language}
        onChange={(next) => onChoose(next as Language)}
        data={Object.entries(languageNames).map(([value, label]) => ({ value, label }))}
      />
    </Group>
  )
}
