import {
  ActionIcon,
  Alert,
  AppShell,
  Box,
  Burger,
  Group,
  Menu,
  NavLink,
  Select,
  Text,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { type MouseEvent, type ReactNode, use, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type CallFailed, useSendAlone } from '../api.ts'
import icon from '../icon.svg'
import { type Language, LanguageContext, languages, useWords } from '../language.ts'
import { endWithSession } from '../leaving.ts'
import { finishErasing } from '../screens/campaigns/leads/erasing.ts'
import { isImporting } from '../screens/campaigns/leads/importing.ts'
import { forgetUnsaved } from '../screens/campaigns/unsaved.ts'
import type { SignedIn } from '../session.ts'
import { giveUpSigningInAgain } from '../signing-in.ts'
import { Confirm } from './confirm.tsx'
import { HelpButton, HelpDrawer } from './help.tsx'
import { Icon } from './icons.tsx'
import { focusScreen } from './next-row.ts'
import { LesserRole } from './role-note.tsx'
import { Toast, toastWhile, useToastFailure } from './toast.tsx'
import { words } from './words.ts'

const names: Record<Language, string> = { en: 'English', pl: 'Polski' }
const languageNames = languages.map((value) => ({ value, label: names[value] }))

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
  const burger = useRef<HTMLButtonElement>(null)
  const [path] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the browser's Back leads to a screen that it would cover.
  useEffect(close, [path])
  const onGone = () => {
    close()
    // The link is out of sight then; on a desk it is not, and there is no button.
    burger.current?.focus()
  }
  const skip = (event: MouseEvent) => {
    event.preventDefault()
    focusScreen()
  }
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
      onKeyDown={({ key }) => isOpen && key === 'Escape' && onGone()}
    >
      {/* biome-ignore lint/a11y/useValidAnchor: its address alone begins at <base>, and would lead to the overview. */}
      <a className="skip" href="#content" onClick={skip}>
        {text.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            ref={burger}
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={text.menu}
            aria-expanded={isOpen}
          />
          <img src={icon} width={28} height={28} alt="" />
          {/* Where text is large these two give way, the account first: the buttons stay within the window. */}
          <Text fw={700} style={{ overflow: 'hidden', whiteSpace: 'nowrap' }}>
            Lastcall
          </Text>
          <Text c="dimmed" size="sm" truncate ml="auto" style={{ flexShrink: 100 }}>
            {session.account.name}
          </Text>
          <HelpButton />
          <AccountMenu user={session.user} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        {/* On a phone the library moves it out of sight only, where the keyboard reaches it still. */}
        <Box {...(!isOpen && { visibleFrom: 'sm' })}>
          <Navigation onGone={onGone} />
        </Box>
      </AppShell.Navbar>
      {/* The menu of a phone covers it: who goes on to it by keyboard sees where they are. */}
      <AppShell.Main id="content" tabIndex={-1} onFocus={close}>
        {/* What stands last can be scrolled out from under what is said at the foot of the window. */}
        <Box maw={1120} mx="auto" pb={72}>
          {session.account.suspended && (
            <Alert color="orange" variant="outline" mb="lg">
              {text.suspended}
            </Alert>
          )}
          {children}
        </Box>
        <LesserRole />
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
    <nav aria-label={text.menu}>
      {places.map(([path, name]) => (
        <NavLink
          key={path}
          component={Link}
          href={path}
          label={text[name]}
          leftSection={<Icon name={name} />}
          active={isHere(path)}
          aria-current={isHere(path) ? 'page' : undefined}
          onClick={onGone}
          variant="light"
        />
      ))}
    </nav>
  )
}

export function LanguageSelect() {
  const { language, setLanguage } = use(LanguageContext)
  const text = useWords(words)
  return (
    <Select
      aria-label={text.language}
      size="xs"
      data={languageNames}
      value={language}
      allowDeselect={false}
      onChange={(next) => setLanguage(next as Language)}
    />
  )
}

/** Who is signed in, what only this browser keeps, and the way out. */
function AccountMenu({ user }: Pick<SignedIn, 'user'>) {
  const text = useWords(words)
  const { language, setLanguage } = use(LanguageContext)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [, go] = useLocation()
  const button = useRef<HTMLButtonElement>(null)
  const [isAsked, { open, close }] = useDisclosure(false)
  const ask = () => {
    // The dialog gives the focus back to what had it; the menu is gone then.
    button.current?.focus()
    open()
  }
  const { signOut, isLeaving } = useSignOut(user.id, ask)
  return (
    // Within the page's main part, where screen readers look for it.
    <Menu position="bottom-end" withInitialFocusPlaceholder={false} portalProps={{ target: '#content' }}>
      <Menu.Target>
        <ActionIcon ref={button} variant="default" radius="xl" aria-label={text.account}>
          <Icon name="account" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown maw="calc(100vw - 16px)">
        <Menu.Label style={{ overflowWrap: 'anywhere' }}>{user.email}</Menu.Label>
        <Menu.Item onClick={() => go('/settings/security')}>{text.yourSignIn}</Menu.Item>
        <Menu.Divider />
        <Menu.Label>{text.language}</Menu.Label>
        {languageNames.map(({ value, label }) => (
          <Menu.Item key={value} rightSection={value === language && '✓'} onClick={() => setLanguage(value)}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{text.scheme}</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((value) => (
          <Menu.Item key={value} rightSection={value === colorScheme && '✓'} onClick={() => setColorScheme(value)}>
            {text.schemes[value]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item disabled={isLeaving} onClick={() => signOut(false)}>
          {text.signOut}
        </Menu.Item>
      </Menu.Dropdown>
      <Confirm
        opened={isAsked}
        onClose={close}
        title={text.signOutStops}
        text={text.signOutStopsText}
        action={text.signOut}
        onConfirm={() => {
          close()
          signOut(true)
        }}
      />
    </Menu>
  )
}

/** Gives up the screens, with what was entered there. */
export function useLeave(): () => void {
  const client = useQueryClient()
  const [, go] = useLocation()
  return () => {
    forgetUnsaved()
    endWithSession()
    giveUpSigningInAgain()
    client.clear()
    go('/sign-in')
  }
}

/** `ask` where an import is under way that the reader has not given up. */
function useSignOut(userId: number, ask: () => void) {
  const text = useWords(words)
  const leave = useLeave()
  const send = useSendAlone('DELETE /session')
  const onError = useToastFailure()
  const onNotErased = useToastFailure(text.signOutStopped)
  const [isLeaving, setLeaving] = useState(false)
  /** Resolves to why one was not erased: nobody would be told of it once the session is over. */
  const eraseAll = async () => {
    let failed: CallFailed | undefined
    // Meanwhile another one may be asked for. Each takes as long as it takes: without a word the menu would seem to be
    // broken.
    for (let erasing = finishErasing(); erasing !== undefined; erasing = finishErasing()) {
      toastWhile(text.signOutWaits, erasing)
      failed = (await erasing) ?? failed
    }
    return failed
  }
  const signOut = async (stopsImport: boolean) => {
    const isToAsk = () => !stopsImport && isImporting()
    if (isToAsk()) return ask()
    setLeaving(true)
    const failed = await eraseAll().finally(() => setLeaving(false))
    if (failed !== undefined) onNotErased(failed)
    else if (isToAsk()) ask()
    else send.mutate({ query: { userId: String(userId) } }, { onSuccess: leave, onError })
  }
  return { signOut, isLeaving: isLeaving || send.isPending }
}
