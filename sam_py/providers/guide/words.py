"""Other words for the handbook's words: synonyms, words of other languages, and which language a question is in."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _words(
    """
    a about all am an and any anything are as at be been being but by can cannot could d did do does doing don
    for from get gets give go got had has have here how i if in into is it its just know let like ll m may me
    might mine my need of on one or our out please program app application sam should so some somehow something
    t tell that the their them then there these they thing things this those to too up us use used using very
    want was way we well were what when where which while who whom whose why will with without work works would
    you your s re ve explain describe information question ich du der die das den dem des ein eine einen einem
    einer ist sind wie was wo wer kann man mein meine meinen meiner und oder zu zum zur auf im in mit für von
    nicht es bitte mir mich gibt finde finden wird werden hier je tu le la les un une des du de est sont comment
    que quoi où puis peut on mon ma mes et ou pour dans avec il elle faire fais faut vous avez ce cette mettre
    el los las una unos es son cómo como qué dónde donde puedo puede mi mis y o para con por se hago hay está
    están o os as um uma é são onde posso pode meu minha meus e ou com em no na il lo gli uno sono come dove
    posso può mio mia miei per con di da del della
    """
)

SYNONYMS: dict[str, str] = {
    # English
    "abort": "stop", "halt": "stop", "interrupt": "stop", "kill": "stop", "quit": "quit close", "erase": "delete",
    "remove": "delete", "discard": "delete", "trash": "delete", "undelete": "undo restore", "recover": "restore undo",
    "hotkeys": "shortcuts", "hotkey": "shortcut", "keybinding": "shortcut", "keybindings": "shortcuts",
    "backend": "server", "llm": "model", "ai": "model", "bot": "model", "chats": "conversations",
    "chat": "conversation chat", "thread": "conversation", "threads": "conversations", "credentials": "key",
    "apikey": "key", "token": "token key", "tokens": "tokens", "colour": "theme", "color": "theme", "colours": "theme",
    "colors": "theme", "night": "dark", "font": "text size font", "fonts": "fonts text size", "zoom": "text size",
    "bigger": "larger", "picture": "image", "pictures": "images", "photo": "image", "photos": "images",
    "screenshot": "image", "document": "file", "documents": "files", "pdf": "file pdf", "upload": "attach",
    "category": "folder", "project": "folder", "favourite": "pin", "favorite": "pin", "star": "pin",
    "preferences": "settings", "options": "settings", "config": "settings", "configuration": "settings",
    "maths": "math", "formulas": "formula", "equation": "formula", "equations": "formula", "persona": "system prompt",
    "instructions": "system prompt", "resend": "retry", "redo": "regenerate", "reroll": "regenerate",
    "versions": "branches", "fork": "branch", "where's": "where", "directory": "folder", "localhost": "local server",
    "terminal": "command line", "console": "command line", "cli": "command line", "shell": "command line",
    "diagnose": "doctor", "crash": "error start", "bug": "error", "broken": "error", "fails": "error", "save": "saved",
    "spied": "privacy", "safe": "privacy", "secure": "privacy", "telemetry": "telemetry",
    # German
    "schlüssel": "key", "taste": "key shortcut", "tasten": "keyboard shortcuts", "tastenkürzel": "shortcuts",
    "tastatur": "keyboard", "kurzbefehle": "shortcuts", "löschen": "delete", "lösche": "delete", "gelöscht": "deleted",
    "rückgängig": "undo", "ordner": "folder", "anhang": "attachment", "anhänge": "attachments", "anhängen": "attach",
    "datei": "file", "dateien": "files", "bild": "image", "bilder": "images", "foto": "image",
    "einstellungen": "settings",
    "einstellung": "settings", "sprachmodell": "model", "modell": "model", "modelle": "models", "verbinden": "connect",
    "verbindung": "connection", "stoppen": "stop", "anhalten": "stop", "abbrechen": "stop", "bearbeiten": "edit",
    "ändern": "edit change", "nachricht": "message", "nachrichten": "messages", "antwort": "reply",
    "antworten": "replies", "senden": "send", "schicken": "send", "suche": "search", "suchen": "search",
    "dunkel": "dark", "dunkles": "dark", "hell": "light", "schrift": "text size", "schriftgröße": "text size",
    "größer": "larger", "kleiner": "smaller", "daten": "data", "gespeichert": "saved", "speichern": "save",
    "datenschutz": "privacy", "sicherheit": "privacy", "fehler": "error", "hilfe": "help",
    "unterhaltung": "conversation",
    "gespräch": "conversation", "gespräche": "conversations", "archivieren": "archive", "umbenennen": "rename",
    "kopieren": "copy", "neu": "new", "neue": "new", "anheften": "pin", "formatierung": "formatting",
    "tabelle": "table",
    "entwurf": "draft", "entwürfe": "drafts", "warteschlange": "queue", "lokaler": "local", "lokalen": "local",
    "anbieter": "provider", "hinzufügen": "add", "funktioniert": "error", "startet": "start", "sicherung": "backup",
    # French
    "clé": "key", "clés": "keys", "clavier": "keyboard", "raccourci": "shortcut", "raccourcis": "shortcuts",
    "supprimer": "delete", "effacer": "delete", "annuler": "undo", "dossier": "folder", "dossiers": "folders",
    "fichier": "file", "fichiers": "files", "joindre": "attach", "pièce": "attachment", "paramètres": "settings",
    "réglages": "settings", "modèle": "model", "modèles": "models", "connecter": "connect", "connexion": "connection",
    "serveur": "server", "arrêter": "stop", "modifier": "edit", "réponse": "reply", "envoyer": "send",
    "chercher": "search", "rechercher": "search", "recherche": "search", "sombre": "dark", "clair": "light",
    "thème": "theme", "taille": "size", "texte": "text", "données": "data", "enregistré": "saved",
    "confidentialité": "privacy", "erreur": "error", "aide": "help", "archiver": "archive", "renommer": "rename",
    "copier": "copy", "nouvelle": "new", "nouveau": "new", "ajouter": "add", "fournisseur": "provider",
    "brouillon": "draft", "locale": "local",
    # Spanish, Portuguese, Italian
    "clave": "key", "claves": "keys", "chave": "key", "chiave": "key", "teclado": "keyboard", "tastiera": "keyboard",
    "atajos": "shortcuts", "atalhos": "shortcuts", "scorciatoie": "shortcuts", "borrar": "delete", "eliminar": "delete",
    "apagar": "delete", "excluir": "delete", "eliminare": "delete", "cancellare": "delete", "deshacer": "undo",
    "desfazer": "undo", "annullare": "undo", "carpeta": "folder", "pasta": "folder", "cartella": "folder",
    "archivo": "file", "archivos": "files", "arquivo": "file", "adjuntar": "attach", "anexar": "attach",
    "allegare": "attach", "imagen": "image", "imagem": "image", "immagine": "image", "ajustes": "settings",
    "configuración": "settings", "configurações": "settings", "impostazioni": "settings", "modelo": "model",
    "modello": "model", "conectar": "connect", "collegare": "connect", "servidor": "server", "detener": "stop",
    "parar": "stop", "fermare": "stop", "editar": "edit", "modificare": "edit", "respuesta": "reply",
    "resposta": "reply", "risposta": "reply", "enviar": "send", "inviare": "send", "buscar": "search",
    "procurar": "search", "cercare": "search", "oscuro": "dark", "escuro": "dark", "scuro": "dark", "tema": "theme",
    "texto": "text", "tamaño": "size", "datos": "data", "dados": "data", "dati": "data", "privacidad": "privacy",
    "privacidade": "privacy", "errore": "error", "ayuda": "help", "ajuda": "help", "aiuto": "help",
    "mensaje": "message",
    "mensagem": "message", "messaggio": "message", "conversación": "conversation", "conversa": "conversation",
    "conversazione": "conversation", "añadir": "add", "adicionar": "add", "aggiungere": "add",
    # Chinese, Japanese, Russian: whole words that a question is likely to have
    "对话": "conversation", "会话": "conversation", "聊天": "conversation", "消息": "message", "会話": "conversation",
    "密钥": "key", "键盘": "keyboard", "快捷键": "shortcuts", "删除": "delete", "文件夹": "folder", "文件": "file",
    "图片": "image", "设置": "settings", "模型": "model", "连接": "connect", "停止": "stop", "编辑": "edit",
    "搜索": "search", "主题": "theme", "数据": "data", "隐私": "privacy", "错误": "error", "帮助": "help",
    "キー": "key", "キーボード": "keyboard", "ショートカット": "shortcuts", "削除": "delete", "フォルダ": "folder",
    "ファイル": "file", "画像": "image", "設定": "settings", "モデル": "model", "接続": "connect", "編集": "edit",
    "検索": "search", "テーマ": "theme", "データ": "data", "プライバシー": "privacy", "エラー": "error",
    "ключ": "key", "клавиатура": "keyboard", "клавиши": "shortcuts", "удалить": "delete", "папка": "folder",
    "файл": "file", "изображение": "image", "настройки": "settings", "модель": "model", "подключить": "connect",
    "остановить": "stop", "изменить": "edit", "поиск": "search", "тема": "theme", "данные": "data", "ошибка": "error",
    "помощь": "help",
}  # fmt: skip
"""A word of a question → words of the handbook that it also stands for."""

_COMMON: dict[str, frozenset[str]] = {
    "de": _words("wie was wo ich ist der die das ein eine mein meine nicht kann man und bitte hallo funktioniert"),
    "fr": _words("comment où je est le la les une mon ma mes puis pas bonjour quel quelle quoi dans salut"),
    "es": _words("cómo como qué dónde donde el los las mi mis puedo hola una está por hago cuál"),
    "pt": _words("como onde o os um uma meu minha posso olá não fazer qual você"),
    "it": _words("come dove il lo gli mio mia posso ciao non una quale cosa che"),
}  # fmt: skip

ENGLISH_ONLY = {
    "de": "Das Handbuch gibt es nur auf Englisch. Hier ist, was es dazu sagt:",
    "fr": "Le manuel n'existe qu'en anglais. Voici ce qu'il en dit :",
    "es": "El manual solo existe en inglés. Esto es lo que dice:",
    "pt": "O manual só existe em inglês. Eis o que diz:",
    "it": "Il manuale esiste solo in inglese. Ecco che cosa dice:",
    "zh": "手册只有英文版。以下是相关内容：",
    "ja": "ハンドブックは英語のみです。関連する内容：",
    "ko": "안내서는 영어로만 제공됩니다. 관련 내용:",
    "ru": "Справочник есть только на английском. Вот что в нём сказано:",
    "ar": "الدليل متوفر بالإنجليزية فقط. هذا ما يقوله:",
}
"""What stands above an answer to a question in that language."""


def language_of(text: str) -> str:
    """The question's language as far as two common words or its script tell, else ``"en"``.

    >>> language_of("Wo sind meine Daten?"), language_of("where is my data"), language_of("如何删除")
    ('de', 'en', 'zh')
    """
    for character in text:
        code = ord(character)
        if 0x3040 <= code <= 0x30FF:
            return "ja"
        if 0xAC00 <= code <= 0xD7AF:
            return "ko"
        if 0x0400 <= code <= 0x04FF:
            return "ru"
        if 0x0600 <= code <= 0x06FF:
            return "ar"
    if any(0x4E00 <= ord(character) <= 0x9FFF for character in text):
        return "zh"
    words = [word.strip("?!.,;:¿¡") for word in text.lower().split()]
    best, hits = "en", 1
    for language, common in _COMMON.items():
        count = sum(word in common for word in words)
        if count > hits:
            best, hits = language, count
    return best
