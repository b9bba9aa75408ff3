import {
  Alert,
  AppShell,
  Box,
  Burger,
  Button,
  Group,
  NavLink,
  Select,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, use } from 'react'
import { Link, useLocation } from 'wouter'
import { useSendAlone } from '../api.ts'
import icon from '../icon.svg'
import { type Language, LanguageContext, useWords } from '../language.ts'
import { endWithSession } from '../leaving.ts'
import { finishErasing } from '../screens/campaigns/leads/erasing.ts'
import { forgetUnsaved } from '../screens/campaigns/unsaved.ts'
import type { SignedIn } from '../session.ts'
import { HelpButton, HelpDrawer } from './help.tsx'
import { Toast } from './toast.tsx'
import { words } from './words.ts'

const places = [
  ['/', 'overview'],
  ['/campaigns', 'campaigns'],
  ['/integrations', 'integrations'],
  ['/settings', 'settings'],
] as const

/** What stands around every screen behind the session. */
export function Shell({ session, children }: { session: SignedIn; children: ReactNode }) {
  const text = useWords(words)
  const [isOpen, { toggle, close }] = useDisclosure(false)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className="skip" href="#content">
        {text.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={text.menu}
            aria-expanded={isOpen}
          />
          <img src={icon} width={28} height={28} alt="" />
          <Text fw={700}>Lastcall</Text>
          <Text c="dimmed" size="sm" truncate ml="auto">
            {session.account.name}
          </Text>
          <HelpButton />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        <Navigation onGone={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Box maw={1120} mx="auto">
          {session.account.suspended && (
            <Alert color="orange" variant="outline" mb="lg">
              {text.suspended}
            </Alert>
          )}
          {children}
        </Box>
        <Toast />
        <HelpDrawer />
      </AppShell.Main>
    </AppShell>
  )
}

function Navigation({ onGone }: { onGone(): void }) {
  const text = useWords(words)
  const [location] = useLocation()
  const isHere = (path: string) => (path === '/' ? location === '/' : location.startsWith(path))
  return (
    <Stack h="100%" justify="space-between" gap="md">
      <nav aria-label={text.menu}>
        {places.map(([path, name]) => (
          <NavLink
            key={path}
            component={Link}
            href={path}
            label={text[name]}
            active={isHere(path)}
            aria-current={isHere(path) ? 'page' : undefined}
            onClick={onGone}
            variant="light"
          />
        ))}
      </nav>
      <Stack gap="xs">
        <LanguageSelect />
        <SchemeSelect />
        <SignOut />
      </Stack>
    </Stack>
  )
}

export function LanguageSelect() {
  const { language, setLanguage } = use(LanguageContext)
  const text = useWords(words)
  return (
    <Select
      aria-label={text.language}
      size="xs"
      data={[
        { value: 'en', label: 'English' },
        { value: 'pl', label: 'Polski' },
      ]}
      value={language}
      allowDeselect={false}
      onChange={(next) => setLanguage(next as Language)}
    />
  )
}

function SchemeSelect() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const text = useWords(words)
  const data = (['auto', 'light', 'dark'] as const).map((value) => ({ value, label: text.schemes[value] }))
  return (
    <Select
      aria-label={text.scheme}
      size="xs"
      data={data}
      value={colorScheme}
      allowDeselect={false}
      onChange={(next) => setColorScheme(next as 'auto' | 'light' | 'dark')}
    />
  )
}

function SignOut() {
  const text = useWords(words)
  const client = useQueryClient()
  const [, go] = useLocation()
  const send = useSendAlone('DELETE /session')
  const signOut = async () => {
    await finishErasing()
    await send.mutateAsync({})
    forgetUnsaved()
    endWithSession()
    client.clear()
    go('/sign-in')
  }
  return (
    <Button variant="subtle" size="xs" justify="start" loading={send.isPending} onClick={signOut}>
      {text.signOut}
    </Button>
  )
}
